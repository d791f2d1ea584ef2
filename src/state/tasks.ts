// The interfaces of the task store and of the task queue, and the bounds of both. Every change
// of a task is one atomic step.
import { McpError } from '../protocol/errors.ts'
import { jitterRetryAfter } from '../request/answer.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Task, TaskStep } from './task.ts'

/** A position in the list of an owner's tasks, which starts with the oldest. */
export interface TaskPosition {
  readonly createdAtMs: number
  readonly id: string
}

export interface TaskStore {
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
  /** Calls `listener` when the store may have missed changes. */
  onMissed(listener: () => void): void
  close(): MaybePromise<void>
}

/** A process holds a lease while it runs a queue entry that another process could take over. */
export interface Lease {
  /** The run of the queue entry. */
  readonly run: number
  /** Aborts when another process may take the entry over. */
  readonly lost: AbortSignal
}

/**
 * Runs one task until it ends or waits. Never rejects.
 *
 * @param lease given if the queue may hand out an entry twice
 * @returns false if the task is to be queued again later
 */
export type RunTask = (id: string, lease?: Lease) => Promise<boolean>

/** One run of a task, to be queued. */
export interface QueueEntry {
  readonly id: string
  /** How many runs of the task came before. */
  readonly run: number
  readonly clientKey: string
  /** True if the client is verified, and so has a limit of its own. */
  readonly hasQuota: boolean
}

export interface TaskQueue {
  /** True if other processes run the waiting tasks when this one ends. */
  readonly outlivesProcess: boolean
  /** Enqueues a task. Clients take turns. Idempotent. */
  add(turn: QueueEntry): MaybePromise<void>
  /** Removes a task that has not started. */
  remove(turn: QueueEntry): MaybePromise<void>
  /** Sets the function that runs tasks; called once, before the first `add`. */
  onTask(run: RunTask): void
  /** Starts no further task. */
  pause(): MaybePromise<void>
  close(): MaybePromise<void>
}

/** How many tasks a store keeps, and how many bytes they hold, per client and in total. */
export interface UsageBounds {
  readonly maxTasks: number
  readonly maxTasksPerClient: number
  /** Arguments, questions, answers and results, in bytes. A full store accepts nothing more. */
  readonly maxSize: number
  readonly maxSizePerClient: number
  /**
   * The share of the free room that one client may hold, in number and in size. If n clients
   * in turn take all that they may, 1 / (1 + maxShareOfFree) ** n of the whole stays free, so that
   * a newcomer finds room.
   */
  readonly maxShareOfFree: number
}

// With all other keys in Redis, the sum stays below the `maxmemory` of docker-compose.yml; see
// docs/replicas.md.
export const USAGE_BOUNDS: UsageBounds = {
  maxTasks: 50_000,
  maxTasksPerClient: 2000,
  maxSize: 192 * 1024 * 1024,
  maxSizePerClient: 32 * 1024 * 1024,
  maxShareOfFree: 1 / 6,
}

/** Growth, in bytes, that is always allowed to a step that ends a task. */
export const END_RESERVE_BYTES = 2048

/** The least size that a task counts until it has ended, bytes, so that its end always fits. */
export const MIN_TASK_SIZE = END_RESERVE_BYTES

const RETRY_S = 30

/** @param count the number of the client's tasks, if known */
export function tooManyClientTasks(count: number | 'too many' = 'too many'): McpError {
  const message = `${count} tasks are kept for this client; cancel some, or wait for their end`
  return new McpError('RATE_LIMITED', message, { retryAfterS: jitterRetryAfter(RETRY_S) })
}

export const clientTasksTooLarge = (): McpError =>
  new McpError('RATE_LIMITED', 'the tasks of this client hold too much', { retryAfterS: jitterRetryAfter(RETRY_S) })

export const tooManyTasks = (): McpError =>
  new McpError('BUSY', 'too many tasks are stored; retry later', { retryAfterS: jitterRetryAfter(RETRY_S) })
