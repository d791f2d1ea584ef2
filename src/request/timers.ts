// The timers of deadlines and waits. A test replaces them by a clock that it moves on itself.

/** What `setTimeout` returns; only `clearTimeout` of the same timers can read it. */
export type Timer = object

export interface Timers {
  setTimeout(callback: () => void, ms: number): Timer
  clearTimeout(timer: Timer | undefined): void
  /** A monotonic clock, ms. */
  now(): number
  /**
   * A deadline is paused, until the returned function is called. Only a clock that a test moves on
   * has to know: it would pass the deadline before it counts.
   */
  hold?(): () => void
}

// The globals are looked up on each use, since tests replace those, too.
export const REAL_TIMERS: Timers = Object.freeze({
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimeout: (timer: Timer | undefined) => clearTimeout(timer as NodeJS.Timeout | undefined),
  now: () => performance.now(),
})

/** The longest time that a timer takes, ms: a longer one would pass at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1
