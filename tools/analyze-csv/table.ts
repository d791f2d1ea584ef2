// Parses CSV into columns, in one pass; a row is dropped once it has been counted.
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { ToolError } from 'toolrack'
import { addValue, type Column, newColumn } from './column.ts'
import { faultOf, largeRecord, MAX_RECORD_BYTES } from './faults.ts'
import { MAX_BYTES, type Source, tooLarge } from './source.ts'

const MAX_COLUMNS = 1000
/** The same bound as in the tool's `columns` argument. */
const MAX_NAME = 1000
const MAX_ROWS = 1_000_000
const DELIMITERS = [',', ';', '\t', '|']

interface Reading {
  /** Names of the columns to read; undefined: all. */
  readonly columns: readonly string[] | undefined
  readonly signal: AbortSignal
  /** A file may grow while it is read, so its size is checked again. */
  readonly maxBytes?: number
  progress(progress: number, total?: number, message?: string): void
}

export interface Table {
  rows: number
  /** Last line of the last record. */
  line: number
  columns: Column[]
}

/** @throws ToolError that says what is wrong with the CSV and where */
export async function readTable(source: Source, reading: Reading): Promise<Table> {
  const { columns, progress, signal, maxBytes = MAX_BYTES } = reading
  if (source.head.includes(0)) throw new ToolError('This is not text in UTF-8. Save it as CSV in UTF-8 and try again.')
  const table: Table = { rows: -1, line: 0, columns: [] }
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(source.head),
    trim: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record(record: string[], { lines }) {
      table.line = lines
      if (++table.rows === 0) table.columns = columnsOf(record, columns)
      else addRow(table, record)
      return null
    },
  })
  async function* measured() {
    let bytes = 0
    let record = { row: table.rows, start: 0 }
    for await (const chunk of source.chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      // The parser's own bound counts characters of values, so it accepts a million empty values.
      if (record.row !== table.rows) record = { row: table.rows, start: bytes }
      if (bytes - record.start > 2 * MAX_RECORD_BYTES) throw largeRecord(table.line)
      yield chunk
      progress(bytes, source.bytes, `${Math.max(0, table.rows)} rows so far, bytes read`)
    }
  }
  await pipeline(measured(), parser, { signal }).catch(error => {
    throw error instanceof CsvError ? faultOf(error, table.line) : error
  })
  if (table.rows < 0) throw new ToolError('The CSV is empty. It needs a header line and at least one column.')
  return table
}

/** Picks the delimiter that occurs most often in the first line, outside quotes. */
function delimiterOf(head: Buffer): string {
  const [line = ''] = head
    .toString('latin1')
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1)
  const counts = DELIMITERS.map(delimiter => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!
}

function columnsOf(header: readonly string[], wanted: readonly string[] | undefined): Column[] {
  if (header.length > MAX_COLUMNS) throw new ToolError(`There are more than ${MAX_COLUMNS} columns. Pass fewer.`)
  const columns = new Map<string, Column>()
  // The next number of each name: counting from 2 each time would take a second for 1000 long
  // names.
  const copies = new Map<string, number>()
  for (const [index, title] of header.entries()) {
    if (title.length > MAX_NAME) throw longName(index, title.length)
    const plain = title === '' ? `column ${index + 1}` : title
    let name = plain
    let copy = copies.get(plain) ?? 2
    for (; columns.has(name); copy++) name = `${plain} (${copy})`
    copies.set(plain, copy)
    columns.set(name, newColumn(name, index))
  }
  if (wanted === undefined) return [...columns.values()]
  return wanted.map(name => columns.get(name) ?? unknownColumn(name, [...columns.keys()]))
}

function longName(index: number, length: number): ToolError {
  return new ToolError(
    `The name of column ${index + 1} has ${length} characters; ${MAX_NAME} are allowed. Is the first line a header, and ` +
      'is this CSV?',
  )
}

function unknownColumn(name: string, names: readonly string[]): never {
  const shown = names.slice(0, 20).map(each => JSON.stringify(each.slice(0, 60)))
  const rest = names.length > 20 ? ` and ${names.length - 20} more` : ''
  throw new ToolError(`There is no column ${JSON.stringify(name.slice(0, 60))}. There are: ${shown.join(', ')}${rest}.`)
}

function addRow(table: Table, record: readonly string[]): void {
  if (table.rows > MAX_ROWS) throw new ToolError(`There are more than ${MAX_ROWS} rows. Pass a part of them.`)
  for (const column of table.columns) addValue(column, record[column.index] ?? '')
}
