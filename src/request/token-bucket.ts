// A rate limit: a burst, then a number per second.

export class TokenBucket {
  readonly #intervalMs: number
  readonly #now: () => number
  /** How far ahead of now `#fullAtMs` may be, ms. */
  readonly #maxDebtMs: number
  /** When the whole burst is available again. */
  #fullAtMs = Number.NEGATIVE_INFINITY

  /** @param now a monotonic clock, ms */
  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#intervalMs = 1000 / perSecond
    this.#maxDebtMs = (burst - 1) * this.#intervalMs
    this.#now = now
  }

  take(): boolean {
    const nowMs = this.#now()
    const fullAtMs = Math.max(this.#fullAtMs, nowMs)
    if (fullAtMs - nowMs > this.#maxDebtMs) return false
    this.#fullAtMs = fullAtMs + this.#intervalMs
    return true
  }
}
