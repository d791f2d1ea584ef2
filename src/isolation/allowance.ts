// How much a worker may say: past it, messages would only pile up in the server's thread.

export class Allowance {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #checkedAtMs = performance.now()

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Whether one more may pass now. */
  take(): boolean {
    const nowMs = performance.now()
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#checkedAtMs) * this.#perSecond) / 1000)
    this.#checkedAtMs = nowMs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
