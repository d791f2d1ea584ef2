// The timers of deadlines and waits. A test replaces them by a clock that it moves itself.

/** What `setTimeout` returns; only `clearTimeout` of the same timers can read it. */
export type Timer = object

export interface Timers {
  setTimeout(callback: () => void, ms: number): Timer
  clearTimeout(timer: Timer | undefined): void
  /** A monotonic clock, ms. */
  now(): number
  /**
   * Pauses a deadline until the returned function is called. Only a clock that a test moves needs this:
   * it would otherwise pass the deadline before it counts.
   */
  hold?(): () => void
}

// Looks up the globals on each use, since tests replace those, too.
export const REAL_TIMERS: Timers = Object.freeze({
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimeout: (timer: Timer | undefined) => clearTimeout(timer as NodeJS.Timeout | undefined),
  now: () => performance.now(),
})

class LateTimer {
  /** Undefined once cleared. */
  callback: (() => void) | undefined
  readonly ms: number
  /** Undefined until the end of the turn. */
  started: Timer | undefined

  constructor(callback: () => void, ms: number) {
    this.callback = callback
    this.ms = ms
  }
}

class LateTimers implements Timers {
  readonly now = REAL_TIMERS.now
  #set: LateTimer[] = []

  setTimeout(callback: () => void, ms: number): LateTimer {
    const timer = new LateTimer(callback, ms)
    if (this.#set.push(timer) === 1) setImmediate(this.#start)
    return timer
  }

  clearTimeout(timer: LateTimer | undefined): void {
    if (timer === undefined) return
    timer.callback = undefined
    if (timer.started !== undefined) REAL_TIMERS.clearTimeout(timer.started)
  }

  readonly #start = (): void => {
    const set = this.#set
    this.#set = []
    for (const timer of set) {
      if (timer.callback !== undefined) timer.started = REAL_TIMERS.setTimeout(timer.callback, timer.ms)
    }
  }
}

/**
 * Timers that start at the end of the turn of the event loop. Most requests have been answered by then,
 * and the timers of one would cost it 3 % of its processor time.
 */
export const LATE_TIMERS: Timers = Object.freeze(new LateTimers())

/** The longest time that a timer can take, ms. A longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1
