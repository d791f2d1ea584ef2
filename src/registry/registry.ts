// The definitions that are served, of one kind: looked up by key, listed in the order of their
// keys, page by page. A page is serialised once per change. Announces a change only when what is
// listed really changed. Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import { createHash } from 'node:crypto'
import type { JsonObject } from '../protocol/messages.ts'

/** What a registry keeps: `listed` is the entry as clients see it. */
export interface Entry {
  readonly key: string
  readonly listed: JsonObject
  /** `listed` as JSON, the measure of whether an edit changed anything that a client sees. */
  readonly json: string
  /** All are needed to see it and to use it. */
  readonly scopes: readonly string[]
}

export interface Page<E> {
  readonly entries: readonly E[]
  /** Index of the first entry of the next page; undefined on the last. */
  readonly next: number | undefined
}

export interface PageWriter<E> {
  /**
   * Names the way in which pages are written and what is on them: the revision, the scopes of who
   * reads.
   */
  readonly variant: string
  /** Left out: everything is on them. */
  isListed?(entry: E): boolean
  write(page: Page<E>): string
}

/**
 * Most variants whose pages are kept, and characters of all their pages; past either the oldest go.
 */
const MAX_VARIANTS = 500
export const MAX_PAGES_SIZE = 64 * 1024 * 1024

export class Registry<E extends Entry> {
  readonly #entries = new Map<string, E>()
  readonly #onChange: () => void
  #sorted: readonly E[] | undefined
  #digest: string | undefined
  #scopes: readonly string[] | undefined
  #wasUsed = false
  /** Pages as JSON, by variant and index of their first entry; until the next change. */
  readonly #pages = new Map<string, Map<number, string>>()
  #pagesSize = 0

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /**
   * Stays true once something was registered: a capability that comes and goes would confuse
   * clients.
   */
  get wasUsed(): boolean {
    return this.#wasUsed
  }

  /** Says that something will be registered, so that clients may wait for it. */
  expectEntries(): void {
    this.#wasUsed = true
  }

  get size(): number {
    return this.#entries.size
  }

  find(key: string): E | undefined {
    return this.#entries.get(key)
  }

  all(): readonly E[] {
    return (this.#sorted ??= [...this.#entries.values()].sort(compareKeys))
  }

  /** All that its entries need, sorted. */
  get scopes(): readonly string[] {
    return (this.#scopes ??= [...new Set(this.all().flatMap(({ scopes }) => scopes))].sort())
  }

  /** Names the present list: equal on every replica that serves the same. */
  get digest(): string {
    return (this.#digest ??= hashEntries(this.all()))
  }

  /** Removes, then puts, and announces at most once. */
  change(removed: Iterable<string>, put: Iterable<E>): boolean {
    const before = new Map<string, string | undefined>()
    const note = (key: string) => before.has(key) || before.set(key, getFingerprint(this.#entries.get(key)))
    for (const key of removed) {
      note(key)
      this.#entries.delete(key)
    }
    for (const entry of put) {
      note(entry.key)
      this.#entries.set(entry.key, entry)
      this.#wasUsed = true
    }
    if (before.size > 0) this.#sorted = undefined
    const isChanged = [...before].some(([key, seen]) => getFingerprint(this.#entries.get(key)) !== seen)
    if (isChanged) {
      this.#digest = undefined
      this.#scopes = undefined
      this.#pages.clear()
      this.#pagesSize = 0
      this.#onChange()
    }
    return isChanged
  }

  /** The page that starts at `from`, written once per change for each variant. */
  page(from: number, size: number, { variant, isListed, write }: PageWriter<E>): string {
    let pages = this.#pages.get(variant)
    if (pages === undefined) this.#pages.set(variant, (pages = new Map()))
    let page = pages.get(from)
    if (page === undefined) {
      const all = isListed === undefined ? this.all() : this.all().filter(isListed)
      const to = from + size
      page = write({ entries: all.slice(from, to), next: to < all.length ? to : undefined })
      pages.set(from, page)
      this.#pagesSize += page.length
      this.#dropOldPages(variant)
    }
    return page
  }

  /** @param kept the variant that is being read */
  #dropOldPages(kept: string): void {
    for (const [variant, pages] of this.#pages) {
      if (this.#pages.size <= MAX_VARIANTS && this.#pagesSize <= MAX_PAGES_SIZE) return
      if (variant === kept) continue
      this.#pages.delete(variant)
      for (const { length } of pages.values()) this.#pagesSize -= length
    }
  }
}

// By code unit, so that every machine and locale lists in the same order.
const compareKeys = (a: Entry, b: Entry) => (a.key < b.key ? -1 : 1)

/** What of an entry some client can see: itself, and for whom it is. */
const getFingerprint = (entry: Entry | undefined) => entry && `${entry.json}\n${entry.scopes.join(' ')}`

function hashEntries(entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(getFingerprint(entry)!).update('\n')
  return hash.digest('base64url').slice(0, 16)
}
