// A clock that stands still until a test moves it. It drives deadlines, rate limits and the wait for
// a task, but neither timers of handlers nor `Date`.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timer, Timers } from 'toolrack/protocol'

/** Turns of the event loop between two timers, in which calls continue. */
const TURNS = 3

interface FakeTimer {
  readonly dueMs: number
  readonly callback: () => void
}

/** The clock that a test moves. */
export interface TestClock {
  /** Milliseconds since it was created. */
  now(): number
  /**
   * Moves the clock forward; each timer fires at its time. Before, between and after the timers,
   * running calls reach their next wait, and the process of an isolated tool begins its handler.
   *
   * @throws RangeError if the time is negative or not a number
   */
  advance(ms: number): Promise<void>
}

export class FakeClock implements Timers, TestClock {
  readonly #timers = new Set<Timer>()
  #nowMs = 0
  #holds = 0
  /** Resolves when no deadline is paused; undefined if none is paused now. */
  #released: PromiseWithResolvers<void> | undefined

  readonly now = (): number => this.#nowMs

  setTimeout(callback: () => void, ms: number): Timer {
    const timer: FakeTimer = { dueMs: this.#nowMs + Math.max(0, ms), callback }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer)
  }

  hold(): () => void {
    this.#holds++
    this.#released ??= Promise.withResolvers()
    return () => {
      if (--this.#holds > 0) return
      this.#released?.resolve()
      this.#released = undefined
    }
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`a clock advances by milliseconds, not ${ms}`)
    await this.#passTurns()
    const untilMs = this.#nowMs + ms
    for (let next = this.#findNext(untilMs); next !== undefined; next = this.#findNext(untilMs)) {
      this.#timers.delete(next)
      this.#nowMs = next.dueMs
      next.callback()
      await this.#passTurns()
    }
    this.#nowMs = untilMs
  }

  /** The timer that fires first; if two fire at the same time, the older one. */
  #findNext(untilMs: number): FakeTimer | undefined {
    let next: FakeTimer | undefined
    for (const timer of this.#timers as Set<FakeTimer>)
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer
    return next
  }

  async #passTurns(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
    if (this.#released === undefined) return
    await this.#released.promise
    await this.#passTurns()
  }
}
