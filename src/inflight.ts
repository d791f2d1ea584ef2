// The requests under way, so that a shutdown can wait for them, and stop those that take too long.
import type { Cancellation } from './cancellation.ts'

export class Inflight {
  readonly #cancellations = new Set<Cancellation>()
  #onIdle: (() => void) | undefined
  #isDraining = false

  get isDraining(): boolean {
    return this.#isDraining
  }

  get size(): number {
    return this.#cancellations.size
  }

  add(cancellation: Cancellation): void {
    this.#cancellations.add(cancellation)
  }

  remove(cancellation: Cancellation): void {
    this.#cancellations.delete(cancellation)
    if (this.#cancellations.size === 0) this.#onIdle?.()
  }

  /** From now on nothing new should be taken. Resolves when all have ended, or were told to after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true
    if (this.size === 0) return
    const idle = new Promise<void>(resolve => {
      this.#onIdle = resolve
    })
    const timer = setTimeout(() => {
      for (const cancellation of this.#cancellations) cancellation.cancel('shutdown')
    }, limitMs)
    await idle
    clearTimeout(timer)
  }
}
