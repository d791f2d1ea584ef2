// A folder tells of one save in several events, and a build writes many files: they are one change.

/** How long nothing may change before a change counts, ms. */
const QUIET_MS = 50
/** A file that is written all the time is read this often, ms. */
const MOST_MS = 1000

export class Settle {
  readonly #act: () => void
  #timer: NodeJS.Timeout | undefined
  #latestMs = 0

  /** @param act called when changes have settled */
  constructor(act: () => void) {
    this.#act = act
  }

  touch(): void {
    const nowMs = performance.now()
    if (this.#timer === undefined) this.#latestMs = nowMs + MOST_MS
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#run(), Math.min(QUIET_MS, Math.max(0, this.#latestMs - nowMs)))
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #run(): void {
    this.clear()
    this.#act()
  }
}
