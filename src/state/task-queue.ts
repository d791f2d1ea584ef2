// The interface of the task queue, and its bounds. It decides which task is next: clients take turns.
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** What a process holds while it runs a queue entry; another process could take the entry over. */
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

/**
 * Decides which task runs next.
 * If it outlives the process, other processes or a later one run the waiting tasks.
 */
export interface TaskQueue extends Store {
  /** Enqueues a task. Clients take turns. Idempotent. */
  add(turn: QueueEntry): MaybePromise<void>
  /** Removes a task that has not started. */
  remove(turn: QueueEntry): MaybePromise<void>
  /** Sets the function that runs tasks; called once, before the first `add`. */
  onTask(run: RunTask): void
  /** Starts no further task. */
  pause(): MaybePromise<void>
  /** Counts the entries, for metrics. Called every few seconds. */
  count?(): MaybePromise<Readonly<Record<'running' | 'waiting', number>>>
}

/** How many tasks run at once. */
export interface QueueBounds {
  /**
   * Tasks that this process runs at the same time. Default: the value that the server gives at the
   * start.
   */
  readonly max?: number
  readonly maxPerSubject?: number
}

/** Tasks of one subject that may run at once. */
export const MAX_RUNNING_PER_SUBJECT = 32
/** How long a task waits whose tool has no free slot, ms. */
export const REQUEUE_MS = 250

/** Identifies one run of a task. */
export const toQueueKey = ({ id, run }: Pick<QueueEntry, 'id' | 'run'>): string => `${id}.${run}`
