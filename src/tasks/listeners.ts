// The listeners of single tasks, and the bound of the requests that wait for one.
import type { Task } from '../state/task.ts'

/** @param task undefined if it is gone */
export type TaskListener = (task: Task | undefined) => void

export class TaskWatchers {
  readonly #listeners = new Map<string, Set<TaskListener>>()

  /** @returns a function that stops the listener */
  watch(id: string, listener: TaskListener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  notify(id: string, task: Task | undefined): void {
    for (const listener of this.#listeners.get(id) ?? []) listener(task)
  }

  has(id: string): boolean {
    return this.#listeners.has(id)
  }

  ids(): string[] {
    return [...this.#listeners.keys()]
  }
}

/** Waiting requests per subject, or per session if callers are not verified. */
export const MAX_WAITS_PER_OWNER = 32

export interface TaskWaiter {
  /** Reports if the client has left. */
  hasLeft(): boolean
  release(): void
}

/** Bounds the requests that wait for a task, since each of them holds a connection. */
export class WaitLimiter {
  readonly #waiters = new Map<string, Set<TaskWaiter>>()

  /**
   * Admits a waiting request; a request whose client has left makes room for it.
   *
   * @returns a function that releases the place; undefined if too many wait
   */
  acquire(who: string, waiter: TaskWaiter): (() => void) | undefined {
    const waiting = this.#waiters.get(who) ?? new Set()
    if (waiting.size >= MAX_WAITS_PER_OWNER && !this.#releaseOne(waiting)) return undefined
    this.#waiters.set(who, waiting.add(waiter))
    return () => {
      waiting.delete(waiter)
      if (waiting.size === 0 && this.#waiters.get(who) === waiting) this.#waiters.delete(who)
    }
  }

  #releaseOne(waiting: Set<TaskWaiter>): boolean {
    for (const waiter of waiting) {
      if (!waiter.hasLeft()) continue
      waiting.delete(waiter)
      waiter.release()
      return true
    }
    return false
  }
}
