// JSON values of a tool: whether they make a table, how the tree names a node, and their text.
import { isObject } from '../client/json-rpc.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Table {
  /** The property that holds the rows, if they are not the value itself. */
  readonly name: string | undefined
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** More columns than that are read better in the tree. */
const MAX_COLUMNS = 30
/** Rows that are looked at to find the columns. */
const SAMPLE = 100

/** A value that is a list of flat objects, or an object with such a list in it. */
export function findTable(value: unknown): Table | undefined {
  const own = toTable(value, undefined)
  if (own !== undefined || !isObject(value)) return own
  for (const [name, each] of Object.entries(value).slice(0, MAX_COLUMNS)) {
    const table = toTable(each, name)
    if (table !== undefined) return table
  }
  return undefined
}

function toTable(value: unknown, name: string | undefined): Table | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return undefined
  const columns = [...new Set(value.slice(0, SAMPLE).flatMap(row => Object.keys(row)))]
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return undefined
  return { name, columns, rows: value }
}

const isFlat = (value: unknown): value is Row => isObject(value) && Object.values(value).every(isScalar)

const isScalar = (value: unknown) => typeof value !== 'object' || value === null

/** A cell, or a leaf of the tree. Own properties only: a row may lack `__proto__` or `constructor`. */
export function readCell(row: Row, column: string): string {
  return Object.hasOwn(row, column) ? String(row[column]) : ''
}

/** What a closed node of the tree says of itself. */
export function describe(value: object): string {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length
  const [one, many] = Array.isArray(value) ? ['item', 'items'] : ['property', 'properties']
  return `${count} ${count === 1 ? one : many}`
}

/** Text that is a JSON object or list, as its value. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Text that only looks like JSON is shown as text.
    return undefined
  }
}

/** Indented JSON. Nesting that is too deep for that has the tree. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    return 'This value is nested too deep to be shown as text.'
  }
}
