// Prints rows of a result as a table that fits the terminal. Rows are a list of flat objects,
// columns with rows, or an object with one of these among plain members.
import fitWidth from 'fast-string-truncated-width'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'
import { formatTable } from '../table.ts'
import { findNumberText } from './written.ts'

interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const MAX_ROWS = 100
const MAX_COLUMNS = 30
/** Minimum width of a column that is cut. */
const MIN_WIDTH = 6
const GAP = 2

/** @returns undefined unless the value has rows that fit */
export function formatRows(value: unknown, width: number, paint: (text: string) => string): string | undefined {
  const found = findTable(value)
  if (found === undefined) return undefined
  const { table, others } = found
  const shown = { ...table, rows: table.rows.slice(0, MAX_ROWS) }
  const body = drawTable(shown, width, paint)
  if (body === undefined) return undefined
  const notes = [
    ...Object.entries(others).map(([name, member]) => `${toVisibleLine(name)}: ${toCell(member)}`),
    ...(table.rows.length > MAX_ROWS
      ? [`${table.rows.length - MAX_ROWS} of ${table.rows.length} rows are left out; --json prints all`]
      : []),
    ...(body.isCut ? ['What ends with … is cut to fit; --json prints all'] : []),
  ]
  return notes.length === 0 ? body.text : `${body.text}\n\n${notes.join('\n')}`
}

function findTable(value: unknown): { table: Table; others: JsonObject } | undefined {
  const own = toTable(value)
  if (own !== undefined) return { table: own, others: {} }
  if (!isObject(value)) return undefined
  const { columns, rows, ...beside } = value
  const named = toNamedTable(columns, rows)
  if (named !== undefined) return isFlat(beside) ? { table: named, others: beside } : undefined
  const lists = Object.keys(value).filter(name => Array.isArray(value[name]))
  if (lists.length !== 1) return undefined
  const { [lists[0]!]: list, ...others } = value
  const table = toTable(list)
  return table !== undefined && isFlat(others) ? { table, others } : undefined
}

function toTable(value: unknown): Table | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return undefined
  const columns = [...new Set(value.flatMap(row => Object.keys(row)))]
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return undefined
  return { columns, rows: value.map(row => columns.map(name => (Object.hasOwn(row, name) ? row[name] : undefined))) }
}

/** `{ columns: ['id'], rows: [[1]] }`; columns may be objects with a name. */
function toNamedTable(columns: unknown, rows: unknown): Table | undefined {
  if (!Array.isArray(columns) || !Array.isArray(rows) || columns.length > MAX_COLUMNS) return undefined
  const names = columns.map(column => (isObject(column) ? column['name'] : column))
  const isTable =
    names.length > 0 &&
    names.every(name => typeof name === 'string') &&
    rows.every(row => Array.isArray(row) && row.length === names.length)
  return isTable ? { columns: names, rows } : undefined
}

const isFlat = (row: unknown): row is JsonObject => isObject(row) && !isNumber(row) && Object.values(row).every(isPlain)

const isNumber = (value: unknown) => findNumberText(value) !== undefined

const isPlain = (value: unknown) => typeof value !== 'object' || value === null || isNumber(value)

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string'
    ? toVisibleLine(value)
    : (findNumberText(value) ?? toVisibleLine(JSON.stringify(value)))
}

function drawTable({ columns, rows }: Table, width: number, paint: (text: string) => string) {
  const cells = rows.map(row => row.map(toCell))
  const names = columns.map(toVisibleLine)
  const widths = fitColumns([names, ...cells], width)
  if (widths === undefined) return undefined
  const cut = (row: readonly string[]) => row.map((cell, index) => cutCell(cell, widths[index]!))
  const fitted = cells.map(cut)
  const isRight = columns.map(
    (_, index) =>
      rows.some(row => isNumber(row[index])) && rows.every(row => row[index] == null || isNumber(row[index])),
  )
  return {
    text: formatTable([cut(names).map(paint), ...fitted], isRight),
    isCut: fitted.some((row, at) => row.some((cell, index) => cell !== cells[at]![index])),
  }
}

/** Cuts the widest columns. @returns undefined if that is not enough */
function fitColumns(rows: readonly (readonly string[])[], width: number): readonly number[] | undefined {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map(row => fitWidth(row[index]!).width)))
  const free = width - GAP * (widths.length - 1)
  if (widths.reduce((sum, each) => sum + Math.min(each, MIN_WIDTH), 0) > free) return undefined
  let most = Math.max(...widths)
  while (widths.reduce((sum, each) => sum + Math.min(each, most), 0) > free) most--
  return widths.map(each => Math.min(each, most))
}

function cutCell(cell: string, width: number): string {
  const { index, truncated } = fitWidth(cell, { limit: width, ellipsis: '…', ellipsisWidth: 1 })
  return truncated ? `${cell.slice(0, index)}…` : cell
}
