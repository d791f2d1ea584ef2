// Values that can be shown as a table: a list of objects, or columns with rows.
import { isNumeric, isRecord, isScalar, readOwn } from './values.ts'

export interface Column {
  readonly name: string
  /** The type that the server gives, such as `timestamptz`; else the type of its values. */
  readonly type: string
  /** All values are numbers, or null. */
  readonly isNumber: boolean
  /** Number of decimals for display; undefined: unchanged. */
  readonly decimals: number | undefined
}

export interface Rows {
  readonly columns: readonly Column[]
  readonly rows: readonly unknown[]
  /** @param column its index */
  read(row: unknown, column: number): unknown
}

/** With more columns, the tree is easier to read. */
const MAX_COLUMNS = 40
/** Rows that are checked to find columns and their kinds. */
const SAMPLE = 200
const MAX_DECIMALS = 4

/** A list of objects, most of whose members are values. */
export function toRows(value: unknown): Rows | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined
  const sample = value.slice(0, SAMPLE)
  const names = [...new Set(sample.flatMap(row => Object.keys(row)))]
  const read = (row: unknown, column: number) => readOwn(row as object, names[column]!)
  const nested = names.filter(name => sample.some(row => !isScalar(readOwn(row, name))))
  if (names.length === 0 || names.length > MAX_COLUMNS || nested.length > names.length / 2) return undefined
  return {
    columns: names.map((name, index) => describeColumn(name, value, row => read(row, index))),
    rows: value,
    read,
  }
}

/** `{ columns: [{ name, type }] or names, rows: [[…]] }`, as databases answer. */
export function toColumnsAndRows(value: Readonly<Record<string, unknown>>): Rows | undefined {
  const columns = readOwn(value, 'columns')
  const rows = readOwn(value, 'rows')
  if (!Array.isArray(columns) || !Array.isArray(rows) || columns.length === 0 || columns.length > MAX_COLUMNS)
    return undefined
  const named = columns.map(each => (isRecord(each) ? each : { name: each }))
  if (!named.every(each => typeof readOwn(each, 'name') === 'string')) return undefined
  // A value without a column would be hidden.
  if (!rows.every(row => (Array.isArray(row) ? row.length <= columns.length : isRecord(row)))) return undefined
  const names = named.map(each => String(readOwn(each, 'name')))
  const read = (row: unknown, column: number) =>
    Array.isArray(row) ? row[column] : readOwn(row as object, names[column]!)
  return {
    columns: names.map((name, index) => {
      const type = readOwn(named[index]!, 'type')
      return describeColumn(name, rows, row => read(row, index), typeof type === 'string' ? type : undefined)
    }),
    rows,
    read,
  }
}

function describeColumn(
  name: string,
  rows: readonly unknown[],
  read: (row: unknown) => unknown,
  type?: string,
): Column {
  const values = rows
    .slice(0, SAMPLE)
    .map(read)
    .filter(each => each !== null && each !== undefined)
  const isNumber = values.length > 0 && values.every(isNumeric)
  return { name, type: type ?? describeType(values, isNumber), isNumber, decimals: findDecimals(values) }
}

function describeType(values: readonly unknown[], isNumber: boolean): string {
  if (isNumber) return values.every(Number.isInteger) ? 'integer' : 'number'
  if (values.length > 0 && values.every(each => typeof each === 'boolean')) return 'boolean'
  return values.every(isScalar) ? 'text' : 'nested'
}

/** Aligns the numbers of a column at the point, if some have a fraction and none has a long one. */
function findDecimals(values: readonly unknown[]): number | undefined {
  if (!values.every(each => typeof each === 'number')) return undefined
  const most = Math.max(0, ...values.map(countDecimals))
  return most === 0 || most > MAX_DECIMALS ? undefined : Math.max(2, most)
}

function countDecimals(value: unknown): number {
  const text = String(value)
  if (text.includes('e')) return MAX_DECIMALS + 1
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0
}

/**
 * The text of a cell for display. Rows beyond the sample may have longer fractions; those stay
 * whole.
 */
export function formatCell(value: unknown, { decimals }: Pick<Column, 'decimals'>): string {
  if (typeof value === 'number' && decimals !== undefined && countDecimals(value) <= decimals)
    return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  return toCellText(value)
}

/** A cell as text, for the filter, for sorting and for CSV. */
export function toCellText(value: unknown): string {
  if (value === undefined) return ''
  return isScalar(value) ? String(value) : stringify(value)
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '…'
  }
}

/** Finds the rows that contain each word in any cell. Creates their texts once. */
export function createFilter({ columns, rows, read }: Rows): (query: string) => readonly unknown[] {
  let texts: readonly string[] | undefined
  return query => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return rows
    texts ??= rows.map(row =>
      columns
        .map((_, index) => toCellText(read(row, index)))
        .join('\n')
        .toLowerCase(),
    )
    return rows.filter((_, index) => words.every(word => texts![index]!.includes(word)))
  }
}
