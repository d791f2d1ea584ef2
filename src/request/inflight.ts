// The requests under way, so that a shutdown can wait for them, and stop those that take too long.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { McpError } from '../protocol/errors.ts'
import { Cancellation } from './cancellation.ts'

/** Work for a request that is not answered in the turn of the event loop in which it came. */
class LateWork {
  readonly #work: () => void
  #isSettled = false

  constructor(work: () => void) {
    this.#work = work
  }

  /** Does the work, unless it is done or cancelled. */
  run(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#work()
  }

  cancel(): void {
    this.#isSettled = true
  }
}

export class Inflight {
  #late: LateWork[] = []
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

  /**
   * Puts work off until this turn of the event loop ends. Most requests are answered before, and then cancel it: nothing
   * can happen to their client in between.
   */
  whenLate(work: () => void): LateWork {
    if (this.#late.length === 0) setImmediate(this.#runLate)
    const late = new LateWork(work)
    this.#late.push(late)
    return late
  }

  readonly #runLate = (): void => {
    const due = this.#late
    this.#late = []
    for (const late of due) late.run()
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
