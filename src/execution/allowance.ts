// How much may be said: a burst, then so much per second. Past it, messages would only pile up.

export class Allowance {
  readonly #burst: number
  readonly #perSecond: number
  readonly #now: () => number
  #left: number
  #checkedAtMs: number

  /** @param now a clock that never steps back, ms */
  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#now = now
    this.#left = burst
    this.#checkedAtMs = now()
  }

  /** Whether one more may pass now. */
  take(): boolean {
    const nowMs = this.#now()
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#checkedAtMs) * this.#perSecond) / 1000)
    this.#checkedAtMs = nowMs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
