// Describes the changes of a reload of the tools folder: in words by file, and in fields by kind.
import { type Built, findOrigin } from 'toolrack/definitions'

/** Maximum number of names per file and per field; the rest are counted. */
const MAX_SHOWN_NAMES = 20
const MAX_SHOWN_FILES = 10

export interface Exchange {
  /** Definitions that were served before. */
  readonly removed: readonly Built[]
  readonly put: readonly Built[]
}

export interface ReloadReport {
  /** `tools/a.ts: get_order (changed), 3 reloaded; tools/b.ts: ship (removed)`. */
  readonly text: string
  /** The names by kind of change. */
  readonly fields: Readonly<Record<string, string>>
}

type Changes = Readonly<Record<string, readonly Built[]>>

/** The result for definitions that were put. */
export interface Outcome {
  isServed(built: Built): boolean
  /** Missing variables, such as `A or B`. */
  findNeeds(built: Built): readonly string[]
}

export function describeReload({ removed, put }: Exchange, outcome: Outcome): ReloadReport {
  const served = put.filter(outcome.isServed)
  const findEarlier = (built: Built) => removed.find(isSameKey(built))
  const [known, added] = partition(served, built => findEarlier(built) !== undefined)
  const [reloaded, changed] = partition(known, built => areSameAsWritten(findEarlier(built)!, built))
  const changes: Changes = {
    added,
    removed: removed.filter(built => !served.some(isSameKey(built))),
    changed,
    reloaded,
    withheld: put.filter(built => !served.includes(built)),
  }
  const told = Object.entries(changes).filter(([, all]) => all.length > 0)
  return {
    text: describeFiles(changes, outcome),
    fields: Object.fromEntries(told.map(([kind, all]) => [kind, shortenNames(all, ' ')])),
  }
}

/**
 * Names the definitions of one kind of change. Adds the missing variables of those that are not
 * served.
 */
function nameAll(kind: string, all: readonly Built[], { findNeeds }: Outcome): string {
  if (kind === 'reloaded') return `${all.length} reloaded`
  if (kind !== 'withheld') return `${shortenNames(all, ', ')} (${kind})`
  const needs = new Set(all.flatMap(findNeeds))
  const reason = needs.size > 0 ? `: needs ${[...needs].slice(0, MAX_SHOWN_NAMES).join(', ')}` : ''
  return `${shortenNames(all, ', ')} (not served${reason})`
}

function describeFiles(changes: Changes, outcome: Outcome): string {
  const files = new Set(Object.values(changes).flat().map(findFile))
  const texts = [...files].slice(0, MAX_SHOWN_FILES).map(file => {
    const kinds = Object.entries(changes).flatMap(([kind, all]) => {
      const own = all.filter(built => findFile(built) === file)
      return own.length === 0 ? [] : nameAll(kind, own, outcome)
    })
    return `${file}: ${kinds.join(', ')}`
  })
  if (files.size > MAX_SHOWN_FILES) texts.push(`and ${files.size - MAX_SHOWN_FILES} more files`)
  return texts.join('; ')
}

const findFile = ({ definition }: Built) => findOrigin(definition)!.file

const isSameKey =
  ({ entry }: Built) =>
  (other: Built) =>
    other.entry.kind === entry.kind && other.entry.key === entry.key

const getLabel = ({ entry: { kind, key } }: Built) => (kind === 'tool' ? key : `${kind} ${key}`)

/** The code that they call may differ. */
function areSameAsWritten(before: Built, after: Built): boolean {
  if (findFile(before) !== findFile(after) || before.entry.json !== after.entry.json) return false
  const text = toText(before.definition)
  return text !== undefined && text === toText(after.definition)
}

/** Compared as they are listed, because schemas of a library are not JSON. */
const SCHEMAS = ['inputSchema', 'outputSchema']

/** @returns undefined if the definition has no text to compare */
function toText(definition: object): string | undefined {
  try {
    return JSON.stringify(definition, (key, value: unknown) => {
      if (typeof value === 'function') return Function.prototype.toString.call(value)
      return SCHEMAS.includes(key) ? undefined : value
    })
  } catch {
    return undefined
  }
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter(value => !isFirst(value))]
}

function shortenNames(all: readonly Built[], separator: string): string {
  const shown = all.slice(0, MAX_SHOWN_NAMES).map(getLabel).join(separator)
  return all.length > MAX_SHOWN_NAMES ? `${shown} and ${all.length - MAX_SHOWN_NAMES} more` : shown
}
