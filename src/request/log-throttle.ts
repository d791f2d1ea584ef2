// Lines of the log that come in floods: of each kind one in a while is told, with how many there were since the last.

export const THROTTLE_MS = 10_000
/** Kinds that are known; past it the oldest is forgotten, and told anew. */
const MAX_KINDS = 1000

interface ThrottledKind {
  untilMs: number
  suppressed: number
}

export class LogThrottle {
  readonly #now: () => number
  readonly #kinds = new Map<string, ThrottledKind>()

  /** @param now a clock that never steps back, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get size(): number {
    return this.#kinds.size
  }

  /** @returns how many of this kind were not told since the last that was; undefined if this one is not told either */
  count(kind: string): number | undefined {
    const nowMs = this.#now()
    const silence = this.#kinds.get(kind)
    if (silence !== undefined && nowMs < silence.untilMs) {
      silence.suppressed++
      return undefined
    }
    this.#kinds.set(kind, { untilMs: nowMs + THROTTLE_MS, suppressed: 0 })
    if (this.#kinds.size > MAX_KINDS) this.#kinds.delete(this.#kinds.keys().next().value!)
    return silence?.suppressed ?? 0
  }
}
