// Uses that are asked for in one turn of the loop leave together: those of one key as one count, all keys as one command.
// A use for itself costs the process more than the whole of a plain call does.
import type { LimitDecision, LimitRule, Limits } from '../limits.ts'

const ALLOWED: LimitDecision = Object.freeze({ isAllowed: true, retryAfterMs: 0 })

/** How many uses of one key are wanted; none: whether one would pass. */
export interface Wanted {
  readonly key: string
  readonly rule: LimitRule
  readonly uses: number
}

/** How many pass, and how long the others are to wait, ms; 0 where none has to. */
export type Granted = readonly [uses: number, waitMs: number]

export interface BatchParts {
  readonly count: (wanted: readonly Wanted[]) => Promise<readonly Granted[]>
  /** Whether one key may fare better than all did. */
  readonly isUp: () => boolean
  /** Who decides where nobody else can. */
  readonly local: Limits
}

class Entry implements Wanted {
  readonly key: string
  readonly rule: LimitRule
  readonly isUse: boolean
  readonly waiting: ((decision: LimitDecision | Promise<LimitDecision>) => void)[] = []

  constructor(key: string, rule: LimitRule, isUse: boolean) {
    this.key = key
    this.rule = rule
    this.isUse = isUse
  }

  get uses(): number {
    return this.isUse ? this.waiting.length : 0
  }

  settle([uses, waitMs]: Granted): void {
    const refused = Object.freeze({ isAllowed: false, retryAfterMs: waitMs })
    const passing = this.isUse || waitMs > 0 ? uses : this.waiting.length
    for (const [index, resolve] of this.waiting.entries()) resolve(index < passing ? ALLOWED : refused)
  }

  settleBy(local: Limits): void {
    for (const resolve of this.waiting)
      resolve(this.isUse ? local.take(this.key, this.rule) : local.peek(this.key, this.rule))
  }
}

export class LimitBatch {
  readonly #parts: BatchParts
  #next = new Map<string, Entry>()

  constructor(parts: BatchParts) {
    this.#parts = parts
  }

  ask(key: string, rule: LimitRule, isUse: boolean): Promise<LimitDecision> {
    if (this.#next.size === 0) setImmediate(() => void this.#send())
    const name = `${isUse} ${rule.max} ${rule.windowMs} ${key}`
    let entry = this.#next.get(name)
    if (entry === undefined) {
      entry = new Entry(key, rule, isUse)
      this.#next.set(name, entry)
    }
    const { waiting } = entry
    return new Promise(resolve => waiting.push(resolve))
  }

  async #send(): Promise<void> {
    const entries = [...this.#next.values()]
    this.#next = new Map()
    if (await this.#count(entries)) return
    // What is wrong with one key is nothing to the others.
    for (const entry of entries)
      if (entries.length === 1 || !this.#parts.isUp() || !(await this.#count([entry])))
        entry.settleBy(this.#parts.local)
  }

  /** @returns false where it could not be counted */
  async #count(entries: readonly Entry[]): Promise<boolean> {
    try {
      const granted = await this.#parts.count(entries)
      for (const [index, entry] of entries.entries()) entry.settle(granted[index]!)
      return true
    } catch {
      return false
    }
  }
}
