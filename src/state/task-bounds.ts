// How many tasks are kept, and how much they hold, wherever they are kept; and what is said past that.
import { McpError } from '../protocol/errors.ts'
import { spreadRetry } from '../retry.ts'

export interface UsageBounds {
  readonly maxTasks: number
  readonly maxTasksOfClient: number
  /** Arguments and results, in characters of JSON. Past it nothing is added. */
  readonly maxSize: number
  readonly maxSizeOfClient: number
}

export const USAGE_BOUNDS: UsageBounds = {
  maxTasks: 50_000,
  maxTasksOfClient: 2000,
  maxSize: 512 * 1024 * 1024,
  maxSizeOfClient: 256 * 1024 * 1024,
}

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
