// Inserts one row from named values. Only names of existing columns are used, and the values are
// one parameter, never SQL.
import { ToolError } from 'toolrack'
import type { Table, TableColumn } from './catalog.ts'
import { type Inserted, type Lane, quoted, SqlFault } from './database.ts'
import { cut, said } from './faults.ts'

const MAX_BYTES = 64 * 1024
const MAX_LISTED = 4000
const MAX_CHOICE = 300

export type Data = Readonly<Record<string, unknown>>

/** Checks size, names, required columns and the types of the values. @throws ToolError */
export async function checkData(lane: Lane, table: Table, data: Data): Promise<void> {
  const json = JSON.stringify(data)
  if (Buffer.byteLength(json) > MAX_BYTES)
    throw new ToolError(`data has more than ${MAX_BYTES} bytes of JSON. Shorten its longest values.`)
  const columns = new Map(table.columns.map(column => [column.name, column]))
  const unknown = Object.keys(data).filter(name => columns.get(name)?.isInsertable !== true)
  if (unknown.length > 0) throw new ToolError(`${nameOf(table)} takes no ${cut(unknown.join(', '))}. ${listed(table)}`)
  const rounded = Object.keys(data).filter(name => Number.isInteger(data[name]) && !Number.isSafeInteger(data[name]))
  if (rounded.length > 0) throw new ToolError(`JSON rounds so large a number. Pass ${rounded.join(', ')} as a string.`)
  const isMissing = (name: string) => !Object.hasOwn(data, name) || data[name] === null
  const missing = table.columns.filter(({ name, isRequired }) => isRequired && isMissing(name))
  if (missing.length > 0)
    throw new ToolError(`data lacks ${cut(missing.map(({ name }) => name).join(', '))}. ${listed(table)}`)
  const names = Object.keys(data)
  if (names.length > 0)
    await explaining(table, lane.run(`SELECT (given.*)::text FROM (${selectOf(table, names)}) AS given`, [json]))
}

export async function insertRecord(lane: Lane, table: Table, data: Data): Promise<Inserted> {
  const names = Object.keys(data)
  const into = `INSERT INTO ${sqlName(table)} AS r`
  const text =
    names.length === 0 ? `${into} DEFAULT VALUES` : `${into} (${columnList(names)}) ${selectOf(table, names)}`
  const parameters = names.length === 0 ? [] : [JSON.stringify(data)]
  const { rows } = await explaining(table, lane.run(`${text} RETURNING row_to_json(r.*)::text`, parameters))
  const record = rows[0]?.[0]
  if (record == null) throw new ToolError(`${nameOf(table)} took no row: a rule or a trigger of it prevents that.`)
  return { schema: table.schema, table: table.name, record }
}

/** Selects the values of the named columns, with their types. */
function selectOf(table: Table, names: readonly string[]): string {
  const isLeftOut = ({ name }: TableColumn) => !names.includes(name)
  // A whole row would check each domain, also of columns that a default fills. If none of those can
  // refuse NULL, the types are not named, since naming them needs the right to use their schemas.
  if (!table.columns.some(column => column.mayRefuseNull && isLeftOut(column)))
    return `SELECT ${columnList(names)} FROM jsonb_populate_record(NULL::${sqlName(table)}, $1::jsonb)`
  const typed = table.columns.filter(column => !isLeftOut(column)).map(({ name, type }) => `${quoted(name)} ${type}`)
  return `SELECT ${columnList(names)} FROM jsonb_to_record($1::jsonb) AS given(${typed.join(', ')})`
}

const columnList = (names: readonly string[]) => names.map(quoted).join(', ')

export const nameOf = ({ schema, name }: Table): string => `${schema}.${name}`

const sqlName = ({ schema, name }: Table) => `${quoted(schema)}.${quoted(name)}`

const listed = ({ columns }: Table): string => {
  const known = columns.filter(({ isInsertable }) => isInsertable).map(describe)
  return `Columns: ${cut(known.join(', '), MAX_LISTED) || 'none'}; those with * are required.`
}

function describe({ name, type, isRequired, values }: TableColumn): string {
  const choice = values === null ? '' : `: ${cut(values.join(' | '), MAX_CHOICE)}`
  return `${name}${isRequired ? '*' : ''} (${type}${choice})`
}

async function explaining<T>(table: Table, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const advice = error instanceof SqlFault ? adviceFor(error, table) : undefined
    throw advice === undefined ? error : new ToolError(advice)
  }
}

function adviceFor({ report }: SqlFault, table: Table): string | undefined {
  const { code, constraint, column } = report
  // The position would refer to SQL of this file.
  const told = `${said({ ...report, position: undefined })}. Nothing was created.`
  switch (code) {
    case '23505':
      return `${told} There is such a row already (constraint ${constraint}): pass other values, or leave it at that.`
    case '23503':
      return `${told} Constraint ${constraint}: pass the key of a row that exists; query_database finds one.`
    case '23502':
      return column === undefined ? told : `${told} Pass a value for ${column}.`
    case '23514':
      // PostgreSQL gives no name if a partition is missing.
      return constraint === undefined
        ? told
        : `${told} Constraint ${constraint}: see database://${table.schema}/schema for what it asks.`
    case '42501':
      return `This server may not insert into ${nameOf(table)}. ${told}`
    default:
      // Other constraints, and errors that triggers raise.
      if (/^(23|P0)/.test(code)) return told
      return code.startsWith('22') ? `${told} ${listed(table)}` : undefined
  }
}
