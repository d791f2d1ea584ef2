// The state in the memory of one process; a restart forgets it.
import type { Room, Share, Store } from './store.ts'

/**
 * Maximum of each kind. Above it, the oldest go: entries that strangers can create do not live long
 * anyway.
 */
export const MAX_ENTRIES = 10_000

/**
 * The size that was reserved within the current `ttlS`, and the one before. Older entries have
 * expired.
 */
interface Windows {
  at: number
  now: Map<string, number>
  before: Map<string, number>
}

interface Entry {
  readonly json: string
  readonly endMs: number
}

export class MemoryStore implements Store {
  readonly #kinds = new Map<string, Map<string, Entry>>()
  readonly #rooms = new Map<string, Windows>()
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

  async add(kind: string, id: string, value: object, ttlS: number): Promise<boolean> {
    if (this.#read(kind, id) !== undefined) return false
    await this.set(kind, id, value, ttlS)
    return true
  }

  async replace(kind: string, id: string, value: object, ttlS: number): Promise<boolean> {
    if (this.#read(kind, id) === undefined) return false
    await this.set(kind, id, value, ttlS)
    return true
  }

  async reserve(kind: string, { max, ttlS }: Room, shares: readonly Share[], size: number): Promise<boolean> {
    const { now, before } = this.#windows(kind, ttlS)
    const count = (name: string) => (now.get(name) ?? 0) + (before.get(name) ?? 0)
    const free = max - count('')
    if (size > free || shares.some(({ name, of }) => count(name) + size > free * of)) return false
    for (const name of ['', ...shares.map(share => share.name)]) now.set(name, (now.get(name) ?? 0) + size)
    return true
  }

  async delete(kind: string, id: string): Promise<void> {
    this.#entries(kind).delete(id)
  }

  async ping(): Promise<void> {}
  async close(): Promise<void> {}

  #windows(kind: string, ttlS: number): Windows {
    const at = Math.floor(this.#now() / (ttlS * 1000))
    const last = this.#rooms.get(kind)
    if (last?.at === at) return last
    const before = last?.at === at - 1 ? last.now : new Map<string, number>()
    const windows = { at, now: new Map<string, number>(), before }
    this.#rooms.set(kind, windows)
    return windows
  }

  #entries(kind: string): Map<string, Entry> {
    const entries = this.#kinds.get(kind) ?? new Map<string, Entry>()
    this.#kinds.set(kind, entries)
    return entries
  }

  #read(kind: string, id: string): Record<string, unknown> | undefined {
    const entry = this.#entries(kind).get(id)
    return entry === undefined || entry.endMs <= this.#now() ? undefined : JSON.parse(entry.json)
  }

  /** Removes expired entries from the oldest on, and at least one entry. */
  #makeRoom(entries: Map<string, Entry>): void {
    for (const [id, { endMs }] of entries) {
      if (entries.size <= this.#maxEntries && endMs > this.#now()) return
      entries.delete(id)
    }
  }
}
