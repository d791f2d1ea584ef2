// A rate limit: a burst, then a number per second.

export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  readonly #now: () => number
  #tokens: number
  #checkedAtMs: number

  /** @param now a monotonic clock, ms */
  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#now = now
    this.#tokens = burst
    this.#checkedAtMs = now()
  }

  take(): boolean {
    const nowMs = this.#now()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#checkedAtMs) * this.#perSecond) / 1000)
    this.#checkedAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
