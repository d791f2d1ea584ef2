// The served definitions of one kind: pinned ones first, then sorted by key. Serialises a page once per
// change, and announces a change only if a client can see it.
// Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import { createHash } from 'node:crypto'
import type { JsonObject } from '../protocol/messages.ts'

/** `listed` is the entry as clients see it. */
export interface Entry {
  readonly key: string
  readonly listed: JsonObject
  /** `listed` as JSON, compared to detect a visible change. */
  readonly json: string
  /** A caller needs all of them to see and to use the entry. */
  readonly scopes: readonly string[]
  /** Its place before those that are sorted by key. */
  readonly pin?: number | undefined
  /** The entry's own rule of visibility. */
  readonly visible?: unknown
  /** Counts its calls, if its file has something to close. */
  readonly use?: { begin(): void; end(): void } | undefined
}

export interface Page<E> {
  readonly entries: readonly E[]
  /** Index of the first entry of the next page; undefined on the last. */
  readonly next: number | undefined
}

export interface PageWriter<E> {
  /** Cache key of a page: the revision and the reader's scopes. */
  readonly variant: string
  /** Default: lists every entry. */
  isListed?(entry: E): boolean
  write(page: Page<E>): string
}

/**
 * Limits of the cache: variants, and characters of all their pages. Above either, the oldest are
 * dropped.
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
  /** Pages as JSON, by variant and index of their first entry. */
  readonly #pages = new Map<string, Map<number, string>>()
  #pagesSize = 0

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Stays true, since a capability that comes and goes would confuse clients. */
  get wasUsed(): boolean {
    return this.#wasUsed
  }

  /** Announces later registrations, so that clients see the capability now. */
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

  /** The scopes of all entries, sorted. */
  get scopes(): readonly string[] {
    return (this.#scopes ??= [...new Set(this.all().flatMap(({ scopes }) => scopes))].sort())
  }

  /** Identifies the current list; equal on all replicas with the same entries. */
  get digest(): string {
    return (this.#digest ??= hashEntries(this.all()))
  }

  /** Removes, then adds, and announces at most once. */
  change(removed: Iterable<string>, put: Iterable<E>): boolean {
    const before = new Map<string, E | undefined>()
    const note = (key: string) => before.has(key) || before.set(key, this.#entries.get(key))
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
    const isChanged = [...before].some(([key, entry]) => looksOther(entry, this.#entries.get(key)))
    if (isChanged) {
      this.#digest = undefined
      this.#scopes = undefined
      this.#pages.clear()
      this.#pagesSize = 0
      this.#onChange()
    }
    return isChanged
  }

  /** The page that starts at `from`, serialised once per change and variant. */
  page(from: number, size: number, writer: PageWriter<E>): string {
    const { variant } = writer
    let pages = this.#pages.get(variant)
    if (pages === undefined) this.#pages.set(variant, (pages = new Map()))
    let page = pages.get(from)
    if (page === undefined) {
      page = writer.write(this.read(from, size, writer))
      pages.set(from, page)
      this.#pagesSize += page.length
      this.#dropOldPages(variant)
    }
    return page
  }

  read(from: number, size: number, { isListed }: Pick<PageWriter<E>, 'isListed'>): Page<E> {
    const all = isListed === undefined ? this.all() : this.all().filter(isListed)
    const to = from + size
    return { entries: all.slice(from, to), next: to < all.length ? to : undefined }
  }

  /** @param kept the variant of the current page */
  #dropOldPages(kept: string): void {
    for (const [variant, pages] of this.#pages) {
      if (this.#pages.size <= MAX_VARIANTS && this.#pagesSize <= MAX_PAGES_SIZE) return
      if (variant === kept) continue
      this.#pages.delete(variant)
      for (const { length } of pages.values()) this.#pagesSize -= length
    }
  }
}

// By code unit, so that the order does not depend on the locale.
const compareKeys = (a: Entry, b: Entry) =>
  getPlace(a) === getPlace(b) ? (a.key < b.key ? -1 : 1) : getPlace(a) - getPlace(b)

const getPlace = ({ pin }: Entry) => pin ?? Number.MAX_SAFE_INTEGER

/** All that clients can see of an entry, with its scopes and its place. */
const getFingerprint = (entry: Entry | undefined) =>
  entry && `${entry.json}\n${entry.scopes.join(' ')}${entry.pin === undefined ? '' : `\n${entry.pin}`}`

/**
 * Whether some caller may see another list. The rule of a new version of a file counts as another
 * rule.
 */
const looksOther = (before: Entry | undefined, after: Entry | undefined) =>
  getFingerprint(before) !== getFingerprint(after) || before?.visible !== after?.visible

function hashEntries(entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(getFingerprint(entry)!).update('\n')
  return hash.digest('base64url').slice(0, 16)
}
