// The interface of the task store, and its bounds. Every change of a task is one atomic step.
import { McpError } from '../protocol/errors.ts'
import { jitterRetryAfter } from '../request/answer.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'
import type { Task, TaskStatus, TaskStep } from './task.ts'

/** A position in the list of an owner's tasks; the oldest is the first. */
export interface TaskPosition {
  readonly createdAtMs: number
  readonly id: string
}

/** Keeps tasks. */
export interface TaskStore extends Store {
  /** The largest number of tasks that is kept; undefined if it is not known. */
  readonly maxTasks?: number
  /**
   * Stores a new task; once it resolves, every reader finds the task.
   *
   * @throws McpError RATE_LIMITED (429) if its client has too many, BUSY (503) if the store is full
   */
  create(task: Task): MaybePromise<void>
  /** Returns undefined if the task is unknown or its TTL has passed. */
  find(id: string): MaybePromise<Task | undefined>
  /**
   * Applies one step to a task, atomically.
   *
   * @throws McpError RATE_LIMITED (429) if its client's tasks would hold too many bytes
   * @returns the task after the step; undefined if it is unknown or the step is not allowed
   */
  change(id: string, step: TaskStep): MaybePromise<Task | undefined>
  remove(id: string): MaybePromise<void>
  /**
   * Lists an owner's tasks that the client knows of, oldest first.
   *
   * @param after where the previous page ended
   */
  list(owner: string, size: number, after?: TaskPosition): MaybePromise<readonly Task[]>
  /**
   * Calls `listener` on every change, by any process: with the task, or undefined if it is gone.
   *
   * @param isWanted filters the changes; default: all
   */
  onChange(
    listener: (id: string, task: Task | undefined) => void,
    isWanted?: (id: string, session: string | undefined) => boolean,
  ): void
  /** Calls `listener` when the store may have missed changes of other processes. */
  onMissed?(listener: () => void): void
  /** Counts the tasks by status, for metrics. Called every few seconds. */
  count?(): MaybePromise<Readonly<Partial<Record<TaskStatus | 'kept', number>>>>
}

/** Interval at which expired tasks are removed and their listeners called, ms. */
export const TASK_SWEEP_MS = 5000

/** How many tasks a store keeps, and how many bytes; per client and in total. */
export interface UsageBounds {
  readonly maxTasks: number
  readonly maxTasksPerClient: number
  /** Arguments, questions, answers and results, in bytes. A full store accepts nothing more. */
  readonly maxSize: number
  readonly maxSizePerClient: number
  /**
   * The share of the free room that one client may hold, in number and in size. If n clients take
   * their full shares one after the other, 1 / (1 + maxShareOfFree) ** n of the whole stays free. So
   * a newcomer finds room.
   */
  readonly maxShareOfFree: number
}

// With all other keys in Redis, the sum stays below the `maxmemory` of docker-compose.yml; see
// docs/guides/replicas.md.
/** The bounds of tasks for the stores in memory and in Redis. */
export const USAGE_BOUNDS: UsageBounds = {
  maxTasks: 50_000,
  maxTasksPerClient: 2000,
  maxSize: 192 * 1024 * 1024,
  maxSizePerClient: 32 * 1024 * 1024,
  maxShareOfFree: 1 / 6,
}

/** Bytes that a step which ends a task may always add. */
export const END_RESERVE_BYTES = 2048

/** A task counts at least this size until it has ended, bytes, so that its end always fits. */
export const MIN_TASK_SIZE = END_RESERVE_BYTES

const RETRY_S = 30

/**
 * The error of a client that has too many tasks.
 * @param count the number of the client's tasks, if known
 */
export function tooManyClientTasks(count: number | 'too many' = 'too many'): McpError {
  const message = `${count} tasks are kept for this client; cancel some, or wait for their end`
  return new McpError('RATE_LIMITED', message, { retryAfterS: jitterRetryAfter(RETRY_S) })
}

/** The error of a client whose tasks hold too many bytes. */
export const clientTasksTooLarge = (): McpError =>
  new McpError('RATE_LIMITED', 'the tasks of this client hold too much', { retryAfterS: jitterRetryAfter(RETRY_S) })

/** The error of a store that is full of tasks. */
export const tooManyTasks = (): McpError =>
  new McpError('BUSY', 'too many tasks are stored; retry later', { retryAfterS: jitterRetryAfter(RETRY_S) })
