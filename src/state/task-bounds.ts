// How many tasks are kept, and how much they hold, wherever they are kept; and what is said past that.
import { McpError } from '../protocol/errors.ts'
import { spreadRetry } from '../retry.ts'

export interface UsageBounds {
  readonly maxTasks: number
  readonly maxTasksOfClient: number
  /** Arguments, questions, answers and results, in bytes. Past it nothing is added. */
  readonly maxSize: number
  readonly maxSizeOfClient: number
  /**
   * Of what is free a client may hold so much, of the number and of the size: n that one after another take all they can
   * get leave 1 / (1 + shareOfFree) ** n of the whole, so that who comes finds something.
   */
  readonly shareOfFree: number
}

// With all else that is kept in Redis it stays below the maxmemory of docker-compose.yml: docs/replicas.md has the sum.
export const USAGE_BOUNDS: UsageBounds = {
  maxTasks: 50_000,
  maxTasksOfClient: 2000,
  maxSize: 192 * 1024 * 1024,
  maxSizeOfClient: 32 * 1024 * 1024,
  shareOfFree: 1 / 6,
}

/** So little, in bytes, that what ends a task always fits. */
export const ALWAYS_ADDED = 2048

/** What a task counts at least until it has ended, bytes: its end takes no more than was there for it. */
export const MIN_SIZE_OF_TASK = ALWAYS_ADDED

const RETRY_S = 30

/** @param count how many there are, where that is known */
export function tooManyOfClient(count: number | 'too many' = 'too many'): McpError {
  const message = `${count} tasks are kept for this client; cancel some, or wait for their end`
  return new McpError('RATE_LIMITED', message, { retryAfterS: spreadRetry(RETRY_S) })
}

export const tooMuchOfClient = (): McpError =>
  new McpError('RATE_LIMITED', 'the tasks of this client hold too much', { retryAfterS: spreadRetry(RETRY_S) })

export const tooManyTasks = (): McpError =>
  new McpError('BUSY', 'too many tasks are kept; retry later', { retryAfterS: spreadRetry(RETRY_S) })
