// Bounds how long a server may take to answer. The time of a person at a question does not count.

/** For requests whose own timer must not come first: the longest that a timer has. */
export const NO_LIMIT_MS = 2 ** 31 - 1

export class Deadline {
  readonly #ms: number
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined
  #held = 0

  constructor(ms: number, onEnd: () => void) {
    this.#ms = ms
    this.#onEnd = onEnd
  }

  /** Begins, or begins again: the server has shown that it works. */
  start(): void {
    this.stop()
    if (this.#held === 0) this.#timer = setTimeout(this.#onEnd, this.#ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Does not run while the work does. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    const isRunning = this.#timer !== undefined || this.#held > 0
    this.stop()
    this.#held++
    try {
      return await work()
    } finally {
      this.#held--
      if (isRunning) this.start()
    }
  }
}
