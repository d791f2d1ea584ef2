// What a reading of the tools folder has changed, as the log tells it: names, in one line with a bound.
import type { Built, Catalog } from './catalog.ts'

/** Names of each list that are shown; the rest are counted. */
const SHOWN = 20

export interface Exchanged {
  /** Of these, those that were served. */
  readonly removed: readonly Built[]
  readonly put: readonly Built[]
}

/** @param catalog after the change. @returns one text for each kind of change that there was */
export function reloadOf({ removed, put }: Exchanged, catalog: Catalog): Readonly<Record<string, string>> {
  const served = put.filter(entry => catalog.isServed(entry))
  const [changed, added] = split(served, entry => removed.some(isSame(entry)))
  const kinds = {
    added,
    removed: removed.filter(entry => !served.some(isSame(entry))),
    changed,
    withheld: put.filter(entry => !served.includes(entry)),
  }
  const told = Object.entries(kinds).filter(([, entries]) => entries.length > 0)
  return Object.fromEntries(told.map(([kind, entries]) => [kind, shortened(entries.map(labelOf))]))
}

export const isSame = (entry: Built) => (other: Built) => other.kind === entry.kind && other.key === entry.key

const labelOf = ({ kind, key }: Built) => (kind === 'tool' ? key : `${kind} ${key}`)

function split<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter(value => !isFirst(value))]
}

function shortened(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(' ')
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown
}
