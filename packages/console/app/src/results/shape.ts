// Chooses the best view of a JSON value.
import { type Rows, toColumnsAndRows, toRows } from './rows.ts'
import { isRecord, isScalar } from './values.ts'

export type Shape =
  | { readonly kind: 'rows'; readonly rows: Rows }
  /** Plain values at the top, a table below, and nested values below that. */
  | {
      readonly kind: 'figures'
      readonly figures: readonly Member[]
      readonly name: string
      readonly rows: Rows
      readonly rest: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly kind: 'figure'; readonly name: string; readonly value: unknown }
  /** Frameworks wrap a text into an object, because a structured result must be an object. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tree' }

type Member = readonly [name: string, value: unknown]

/** With more values, the tree is easier to read. */
const MAX_FIGURES = 8
/** Longer texts are not figures. */
const MAX_FIGURE = 60
const TREE: Shape = { kind: 'tree' }

export function findShape(value: unknown): Shape {
  const rows = toRows(value)
  if (rows !== undefined) return { kind: 'rows', rows }
  if (!isRecord(value)) return TREE
  const members = Object.entries(value)
  if (members.length === 1) return findShapeOfOne(members[0]!)
  const table = toColumnsAndRows(value)
  if (table !== undefined)
    return withFigures(
      members.filter(([name]) => name !== 'columns' && name !== 'rows'),
      'rows',
      table,
    )
  const tables = members.flatMap(([name, each]) => {
    const found = toRows(each)
    return found === undefined ? [] : [{ name, rows: found }]
  })
  const [only] = tables
  if (only === undefined || tables.length > 1) return TREE
  return withFigures(
    members.filter(([name]) => name !== only.name),
    only.name,
    only.rows,
  )
}

function withFigures(others: readonly Member[], name: string, rows: Rows): Shape {
  const figures = others.filter(([, each]) => isFigure(each))
  const rest = others.filter(([, each]) => !isFigure(each))
  if (figures.length > MAX_FIGURES) return TREE
  if (others.length === 0) return { kind: 'rows', rows }
  return { kind: 'figures', figures, name, rows, rest: rest.length === 0 ? undefined : Object.fromEntries(rest) }
}

function findShapeOfOne([name, value]: Member): Shape {
  if (isFigure(value)) return { kind: 'figure', name, value }
  if (typeof value === 'string') return { kind: 'text', text: value }
  const rows = toRows(value)
  return rows === undefined ? TREE : { kind: 'figures', figures: [], name, rows, rest: undefined }
}

const isFigure = (value: unknown): boolean =>
  isScalar(value) && (typeof value !== 'string' || (value.length <= MAX_FIGURE && !value.includes('\n')))
