// Counts what each client holds at the same time, bounded for each client and for all together.

export interface CounterBounds {
  readonly perKey: number
  readonly inAll?: number
}

export class PerKeyCounter {
  readonly #bounds: CounterBounds
  /** Keys that hold something. */
  readonly #held = new Map<string, number>()
  #count = 0

  constructor(bounds: CounterBounds) {
    this.#bounds = bounds
  }

  /** Number of keys that hold something. */
  get size(): number {
    return this.#held.size
  }

  /** @returns false, without counting, if this key or all keys together are at their bound */
  take(key: string): boolean {
    const { perKey, inAll = Number.POSITIVE_INFINITY } = this.#bounds
    const held = this.#held.get(key) ?? 0
    if (held >= perKey || this.#count >= inAll) return false
    this.#held.set(key, held + 1)
    this.#count++
    return true
  }

  /** Call once for each `take` that was true. */
  release(key: string): void {
    const left = this.#held.get(key)! - 1
    if (left > 0) this.#held.set(key, left)
    else this.#held.delete(key)
    this.#count--
  }
}
