// A map whose entries expire, bounded in number and size. Past a bound the oldest entries go.

export interface ExpiringMapBounds {
  readonly maxEntries: number
  /** Of all entries together, characters. */
  readonly maxSize: number
}

interface Entry<T> {
  readonly value: T
  readonly size: number
  /** Unix time, ms. */
  readonly untilMs: number
}

export class ExpiringMap<T> {
  readonly #bounds: ExpiringMapBounds
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<T>>()
  #size = 0

  /** @param now Unix time, ms */
  constructor(bounds: ExpiringMapBounds, now: () => number = Date.now) {
    this.#bounds = bounds
    this.#now = now
  }

  get count(): number {
    return this.#entries.size
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.untilMs > this.#now()) return entry.value
    this.delete(key)
    return undefined
  }

  /** @param size characters @param untilMs Unix time, ms; an entry of the past is not kept */
  set(key: string, value: T, { size, untilMs }: { readonly size: number; readonly untilMs: number }): void {
    this.delete(key)
    if (untilMs <= this.#now() || size > this.#bounds.maxSize) return
    this.#entries.set(key, { value, size, untilMs })
    this.#size += size
    if (this.#isFull) this.#makeRoom()
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }

  get #isFull(): boolean {
    return this.#entries.size > this.#bounds.maxEntries || this.#size > this.#bounds.maxSize
  }

  #makeRoom(): void {
    for (const oldest of this.#entries.keys()) {
      if (!this.#isFull) break
      this.delete(oldest)
    }
  }
}
