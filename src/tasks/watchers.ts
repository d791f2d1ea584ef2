// Who waits for a change of one task, by its id.
import type { Task } from '../task.ts'

/** @param task undefined where it is gone */
export type TaskListener = (task: Task | undefined) => void

export class Watchers {
  readonly #listeners = new Map<string, Set<TaskListener>>()

  /** @returns how to stop */
  watch(id: string, listener: TaskListener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  tell(id: string, task: Task | undefined): void {
    for (const listener of this.#listeners.get(id) ?? []) listener(task)
  }

  has(id: string): boolean {
    return this.#listeners.has(id)
  }

  ids(): string[] {
    return [...this.#listeners.keys()]
  }
}
