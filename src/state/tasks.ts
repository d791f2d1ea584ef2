// Tasks by id, and the queue of those that are to run. Every change is one step of the task's own, taken atomically.
import type { Eventually } from '../chain.ts'
import type { Task, TaskStep } from '../task.ts'

/** A place in the list of an owner's tasks, the oldest first. */
export interface TaskPosition {
  readonly createdAtMs: number
  readonly id: string
}

export interface TaskStore {
  /**
   * Keeps a new task; when it returns, every reader finds it.
   *
   * @throws McpError RATE_LIMITED (429) where its client has too many, BUSY (503) where all have
   */
  create(task: Task): Eventually<void>
  /** Undefined where it is unknown or its time to live has passed. */
  find(id: string): Eventually<Task | undefined>
  /**
   * Takes a step, alone.
   *
   * @throws McpError RATE_LIMITED (429) where its client's tasks would hold too much
   * @returns the task behind it; undefined where the task is unknown or the step not allowed
   */
  change(id: string, step: TaskStep): Eventually<Task | undefined>
  remove(id: string): Eventually<void>
  /** Those handed out to an owner, the oldest first. @param after where the last page ended */
  list(owner: string, size: number, after?: TaskPosition): Eventually<readonly Task[]>
  /**
   * Told of every change, whoever made it: what the task is then, undefined where it is gone.
   *
   * @param isWanted left out: every change is
   */
  onChange(
    listener: (id: string, task: Task | undefined) => void,
    isWanted?: (id: string, session: string | undefined) => boolean,
  ): void
  /** Called when changes may have been missed. */
  onMissed(listener: () => void): void
  close(): Eventually<void>
}

/** What a process holds that runs a turn for as long as others let it. */
export interface Lease {
  /** Of the turn. */
  readonly run: number
  /** Aborts where another process may run it from now on. */
  readonly lost: AbortSignal
}

/**
 * Runs one task as far as it goes. Never rejects.
 *
 * @param lease where a turn may be handed out twice
 * @returns false where it has to come again later
 */
export type RunTask = (id: string, lease?: Lease) => Promise<boolean>

/** A task that is to run. */
export interface Turn {
  readonly id: string
  /** How often it has run before. */
  readonly run: number
  readonly clientKey: string
  /** Whether its client is verified, and so has a share of what all use. */
  readonly hasShare: boolean
}

export interface TaskQueue {
  /** What waits in it is run by other processes when this one ends. */
  readonly outlivesProcess: boolean
  /** Has it run as soon as there is room: nobody's tasks wait for those of somebody who has many. Twice is once. */
  add(turn: Turn): Eventually<void>
  /** Takes one out that has not begun. */
  remove(turn: Turn): Eventually<void>
  /** Who runs them; set once, before the first is added. */
  onTask(run: RunTask): void
  /** Begins none any more. */
  pause(): Eventually<void>
  close(): Eventually<void>
}
