// The state in the memory of one process; a restart forgets it.
import type { Store } from './store.ts'

/** Of each kind. Past it the oldest go: what strangers can make does not live long anyway. */
export const MAX_ENTRIES = 10_000

interface Entry {
  readonly json: string
  readonly endMs: number
}

export class MemoryStore implements Store {
  readonly #kinds = new Map<string, Map<string, Entry>>()
  readonly #maxEntries: number
  readonly #now: () => number

  constructor({ maxEntries = MAX_ENTRIES, now = Date.now }: { maxEntries?: number; now?: () => number } = {}) {
    this.#maxEntries = maxEntries
    this.#now = now
  }

  async set(kind: string, id: string, value: object, ttlS: number): Promise<void> {
    const entries = this.#entries(kind)
    entries.delete(id)
    entries.set(id, { json: JSON.stringify(value), endMs: this.#now() + ttlS * 1000 })
    if (entries.size > this.#maxEntries) this.#makeRoom(entries)
  }

  async get(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    return this.#read(kind, id)
  }

  async take(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    const found = this.#read(kind, id)
    this.#entries(kind).delete(id)
    return found
  }

  async add(kind: string, id: string, ttlS: number): Promise<boolean> {
    if (this.#read(kind, id) !== undefined) return false
    await this.set(kind, id, {}, ttlS)
    return true
  }

  async delete(kind: string, id: string): Promise<void> {
    this.#entries(kind).delete(id)
  }

  async ping(): Promise<void> {}
  async close(): Promise<void> {}

  #entries(kind: string): Map<string, Entry> {
    const entries = this.#kinds.get(kind) ?? new Map<string, Entry>()
    this.#kinds.set(kind, entries)
    return entries
  }

  #read(kind: string, id: string): Record<string, unknown> | undefined {
    const entry = this.#entries(kind).get(id)
    return entry === undefined || entry.endMs <= this.#now() ? undefined : JSON.parse(entry.json)
  }

  /** From the oldest on: those that have ended, and one in any case. */
  #makeRoom(entries: Map<string, Entry>): void {
    for (const [id, { endMs }] of entries) {
      if (entries.size <= this.#maxEntries && endMs > this.#now()) return
      entries.delete(id)
    }
  }
}
