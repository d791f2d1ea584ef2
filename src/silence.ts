// Lines of the log that come in floods: of each kind one in a while is told, with how many there were since the last.

export const SILENCE_MS = 10_000
/** Kinds that are known; past it the oldest is forgotten, and told anew. */
const MAX_KINDS = 1000

interface Silence {
  untilMs: number
  unsaid: number
}

export class Silences {
  readonly #now: () => number
  readonly #silences = new Map<string, Silence>()

  /** @param now a clock that never steps back, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get size(): number {
    return this.#silences.size
  }

  /** @returns how many of this kind were not told since the last that was; undefined if this one is not told either */
  count(kind: string): number | undefined {
    const nowMs = this.#now()
    const silence = this.#silences.get(kind)
    if (silence !== undefined && nowMs < silence.untilMs) {
      silence.unsaid++
      return undefined
    }
    this.#silences.set(kind, { untilMs: nowMs + SILENCE_MS, unsaid: 0 })
    if (this.#silences.size > MAX_KINDS) this.#silences.delete(this.#silences.keys().next().value!)
    return silence?.unsaid ?? 0
  }
}
