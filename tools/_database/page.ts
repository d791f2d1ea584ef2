// Reads one page of a query's rows. The server's own parser checks the query: it refuses to declare
// a cursor for anything but one SELECT. The server turns rows into JSON, so that it never sends a
// row that is too large.
import { ToolError } from 'toolrack'
import { type Lane, SqlFault } from './database.ts'
import { exactJson } from './exact-json.ts'

export const MAX_ROWS = 100
const MAX_PAGE_BYTES = 256 * 1024
const MAX_ROW_BYTES = 128 * 1024
/** Rows per FETCH; together they stay far below the bound of a connection. */
const STEP = 20

export interface Column {
  name: string
  type: string
}

export interface Page {
  readonly columns: Column[]
  readonly rows: unknown[][]
  readonly hasMore: boolean
}

const JUDGE = 'DECLARE judged NO SCROLL CURSOR FOR '
const SYNTAX = '42601'
/** SQLSTATE "protocol violation": the statement has parameters, and none were sent. */
const NO_PARAMETERS = '08P01'

/** @param offset number of rows on earlier pages */
export async function readPage(lane: Lane, query: string, offset: number): Promise<Page> {
  await judge(lane, query)
  const { columns } = await lane.run('FETCH 0 FROM judged')
  await lane.run('CLOSE judged')
  if (columns.length === 0) throw new ToolError('This query gives no columns. Name some after SELECT.')
  await declare(lane, bounded(query, columns.length))
  if (offset > 0) await lane.run(`MOVE FORWARD ${offset} FROM page`)
  const { kept, hasMore } = await fetchRows(lane, offset)
  return { columns: await named(lane, columns), rows: kept.map(valuesOf), hasMore }
}

/** Checks the query; reports the position of an error as one in the query. */
async function judge(lane: Lane, query: string): Promise<void> {
  try {
    await lane.run(JUDGE + query)
  } catch (error) {
    if (!(error instanceof SqlFault)) throw error
    if (error.report.code === NO_PARAMETERS)
      throw new ToolError('There are no parameters such as $1: write the values.')
    if (error.report.position === undefined) throw error
    const position = error.report.position - JUDGE.length
    throw new SqlFault({ ...error.report, position: position > 0 ? position : undefined })
  }
}

/** Drops the position of an error: the caller did not write this text. */
async function declare(lane: Lane, text: string): Promise<void> {
  try {
    await lane.run(`DECLARE page NO SCROLL CURSOR FOR ${text}`)
  } catch (error) {
    if (!(error instanceof SqlFault)) throw error
    if (error.report.code === SYNTAX)
      throw new ToolError('Something follows the semicolon of the query. Leave both out.')
    throw new SqlFault({ ...error.report, position: undefined })
  }
}

// A checked query is complete, so it cannot close the parentheses early; the newline ends a comment
// at its end. OFFSET 0 keeps the planner from computing the row twice.
function bounded(query: string, count: number): string {
  const names = Array.from({ length: count }, (_, index) => `c${index + 1}`).join(', ')
  const rows = `SELECT pg_catalog.row_to_json(q)::text AS r FROM (\n${query}\n) AS q(${names}) OFFSET 0`
  return (
    `SELECT CASE WHEN pg_catalog.octet_length(r) <= ${MAX_ROW_BYTES} THEN r END, ` +
    `pg_catalog.octet_length(r)::text FROM (${rows}) AS s`
  )
}

async function fetchRows(lane: Lane, offset: number): Promise<{ kept: string[]; hasMore: boolean }> {
  const kept: string[] = []
  for (let bytes = 0; ; ) {
    const { columns, rows } = await lane.run(`FETCH ${STEP} FROM page`)
    if (columns.length === 0) throw new Error('the database answered without a result')
    for (const [row = null, size] of rows) {
      bytes += Number(size)
      if (kept.length === MAX_ROWS || (kept.length > 0 && bytes > MAX_PAGE_BYTES)) return { kept, hasMore: true }
      if (row === null) throw tooLarge(offset + kept.length + 1, Number(size))
      kept.push(row)
    }
    if (rows.length < STEP) return { kept, hasMore: false }
  }
}

function tooLarge(row: number, bytes: number): ToolError {
  return new ToolError(
    `Row ${row} has ${bytes} bytes as JSON; a row may have ${MAX_ROW_BYTES}. ` +
      'Select fewer columns, or a part of the long ones, such as left(body, 1000).',
  )
}

const valuesOf = (row: string): unknown[] => Object.values(exactJson(row) as object)

async function named(lane: Lane, columns: readonly { name: string; typeId: number }[]): Promise<Column[]> {
  const { rows } = await lane.run(
    'SELECT pg_catalog.format_type(id, NULL) FROM unnest($1::oid[]) WITH ORDINALITY AS t(id, place) ORDER BY place',
    [`{${columns.map(({ typeId }) => typeId).join()}}`],
  )
  return columns.map(({ name }, index) => ({ name, type: rows[index]?.[0] ?? 'unknown' }))
}
