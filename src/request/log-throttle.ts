// Throttles repeated log lines: one per kind and interval, with the number of lines left out.

export const THROTTLE_MS = 10_000
/** Past this the oldest kind is dropped, so its next line is logged. */
const MAX_KINDS = 1000

interface ThrottledKind {
  untilMs: number
  suppressed: number
}

export class LogThrottle {
  readonly #now: () => number
  readonly #intervalMs: number
  readonly #kinds = new Map<string, ThrottledKind>()

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now(), intervalMs = THROTTLE_MS) {
    this.#now = now
    this.#intervalMs = intervalMs
  }

  get size(): number {
    return this.#kinds.size
  }

  /** @returns the lines left out since the last; undefined if this line is left out too */
  count(kind: string): number | undefined {
    const nowMs = this.#now()
    const silence = this.#kinds.get(kind)
    if (silence !== undefined && nowMs < silence.untilMs) {
      silence.suppressed++
      return undefined
    }
    this.#kinds.set(kind, { untilMs: nowMs + this.#intervalMs, suppressed: 0 })
    if (this.#kinds.size > MAX_KINDS) this.#kinds.delete(this.#kinds.keys().next().value!)
    return silence?.suppressed ?? 0
  }
}
