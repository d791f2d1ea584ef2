// The requests in progress. A shutdown waits for them, and cancels those that take too long.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { McpError } from '../protocol/errors.ts'
import { Cancellation } from './cancellation.ts'
import { LATE_TIMERS, type Timers } from './timers.ts'

export class Inflight {
  /** Cancellations of requests that wait for something. */
  readonly #waiting = new Set<Cancellation>()
  /** The timers of deadlines and waits. */
  readonly timers: Timers
  #count = 0
  #onIdle: (() => void) | undefined
  #isDraining = false

  /** @param timers for the deadlines of requests; a drain always takes real time */
  constructor(timers: Timers = LATE_TIMERS) {
    this.timers = timers
  }

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

  /** A cancellation that `drain` triggers at its limit. @param caller whose API key ends it, too */
  createCancellation(caller?: object): Cancellation {
    return new Cancellation(this.#waiting, this.timers, caller)
  }

  /** Cancels the requests of callers whose API key has ended. */
  cancelEnded(hasEnded: (caller: object) => boolean): void {
    for (const cancellation of this.#waiting) {
      if (cancellation.caller !== undefined && hasEnded(cancellation.caller)) cancellation.cancel('key-ended')
    }
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) this.#onIdle?.()
  }

  /** Refuses new requests. Resolves once all have ended; cancels the rest after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true
    // Requests that were read in this turn are served at its end.
    await nextTurn()
    if (this.#count > 0) await this.#untilIdle(limitMs)
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
