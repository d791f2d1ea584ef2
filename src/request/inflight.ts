// The requests under way, so that a shutdown can wait for them, and stop those that take too long.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { McpError } from '../protocol/errors.ts'
import { Cancellation } from './cancellation.ts'

export class Inflight {
  /** Those that somebody waits for; what is answered at once never gets here. */
  readonly #waiting = new Set<Cancellation>()
  #count = 0
  #onIdle: (() => void) | undefined
  #isDraining = false

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** @throws McpError DRAINING (503) */
  assertOpen(): void {
    if (this.#isDraining) throw createDrainingError()
  }

  get size(): number {
    return this.#count
  }

  /** One that a drain that takes too long will cancel. */
  createCancellation(): Cancellation {
    return new Cancellation(this.#waiting)
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) this.#onIdle?.()
  }

  /** From now on nothing new should be taken. Resolves when all have ended, or were told to after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true
    if (this.#count > 0) await this.#untilIdle(limitMs)
    // Answers that are there are written in this turn.
    await nextTurn()
  }

  async #untilIdle(limitMs: number): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#onIdle = resolve
    })
    const timer = setTimeout(() => {
      for (const cancellation of this.#waiting) cancellation.cancel('shutdown')
    }, limitMs)
    await idle
    clearTimeout(timer)
  }
}

export const createDrainingError = () =>
  new McpError('DRAINING', 'try another replica, or again in a moment', { retryAfterS: 1 })
