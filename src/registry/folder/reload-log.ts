// Says what a reload of the tools folder has changed: in words by file, and in fields by kind.
import type { CatalogEntry } from '../catalog.ts'
import type { EntrySources } from './entry-sources.ts'

/** Names per file and per field; the rest are counted. */
const MAX_SHOWN_NAMES = 20
const MAX_SHOWN_FILES = 10

export interface CatalogExchange {
  /** Entries that were served before. */
  readonly removed: readonly CatalogEntry[]
  readonly put: readonly CatalogEntry[]
}

export interface ReloadReport {
  /** `tools/a.ts: get_order (changed), 3 reloaded; tools/b.ts: ship (removed)`. */
  readonly text: string
  /** The names by kind of change. */
  readonly fields: Readonly<Record<string, string>>
}

type Changes = Readonly<Record<string, readonly CatalogEntry[]>>

/** What became of an entry that was put. */
export interface Outcome {
  isServed(entry: CatalogEntry): boolean
  /** Missing variables, such as `A or B`. */
  findNeeds(entry: CatalogEntry): readonly string[]
}

export function describeReload(
  { removed, put }: CatalogExchange,
  outcome: Outcome,
  sources: EntrySources,
): ReloadReport {
  const served = put.filter(outcome.isServed)
  const findEarlier = (entry: CatalogEntry) => removed.find(isSameEntry(entry))
  const [known, added] = partition(served, entry => findEarlier(entry) !== undefined)
  const [reloaded, changed] = partition(known, entry => sources.areSameAsWritten(findEarlier(entry)!, entry))
  const changes: Changes = {
    added,
    removed: removed.filter(entry => !served.some(isSameEntry(entry))),
    changed,
    reloaded,
    withheld: put.filter(entry => !served.includes(entry)),
  }
  const told = Object.entries(changes).filter(([, entries]) => entries.length > 0)
  return {
    text: describeFiles(changes, entry => sources.findFileName(entry), createNamer(outcome)),
    fields: Object.fromEntries(told.map(([kind, entries]) => [kind, shortenNames(entries, ' ')])),
  }
}

type NameEntries = (kind: string, entries: readonly CatalogEntry[]) => string

/** Names entries with what happened to them; those that are not served, with what they lack. */
const createNamer =
  ({ findNeeds }: Outcome): NameEntries =>
  (kind, entries) => {
    if (kind !== 'withheld') return `${shortenNames(entries, ', ')} (${kind})`
    const needs = entries.flatMap(findNeeds)
    const reason = needs.length > 0 ? `: needs ${[...new Set(needs)].slice(0, MAX_SHOWN_NAMES).join(', ')}` : ''
    return `${shortenNames(entries, ', ')} (not served${reason})`
  }

function describeFiles(changes: Changes, findFile: (entry: CatalogEntry) => string, name: NameEntries): string {
  const files = new Set(Object.values(changes).flat().map(findFile))
  const texts = [...files].slice(0, MAX_SHOWN_FILES).map(file => {
    const kinds = Object.entries(changes).map(([kind, entries]) => {
      const own = entries.filter(entry => findFile(entry) === file)
      if (own.length === 0) return ''
      return kind === 'reloaded' ? `${own.length} reloaded` : name(kind, own)
    })
    return `${file}: ${kinds.filter(Boolean).join(', ')}`
  })
  if (files.size > MAX_SHOWN_FILES) texts.push(`and ${files.size - MAX_SHOWN_FILES} more files`)
  return texts.join('; ')
}

export const isSameEntry = (entry: CatalogEntry) => (other: CatalogEntry) =>
  other.kind === entry.kind && other.key === entry.key

const getEntryLabel = ({ kind, key }: CatalogEntry) => (kind === 'tool' ? key : `${kind} ${key}`)

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter(value => !isFirst(value))]
}

function shortenNames(entries: readonly CatalogEntry[], separator: string): string {
  const shown = entries.slice(0, MAX_SHOWN_NAMES).map(getEntryLabel).join(separator)
  return entries.length > MAX_SHOWN_NAMES ? `${shown} and ${entries.length - MAX_SHOWN_NAMES} more` : shown
}
