import { defineResource, defineTool, ToolError, Type } from 'toolrack'
import { describeTables, MAX_TABLES, readableNames } from './_database/catalog.ts'
import { type Call, READERS, SqlFault } from './_database/database.ts'
import { toolErrorOf } from './_database/faults.ts'
import { database as db } from './_database/open.ts'
import { MAX_ROWS, readPage } from './_database/page.ts'
import { cursorAt, offsetOf } from './_database/page-cursor.ts'
import { SETTINGS, settings } from './_database/settings.ts'
import { Value } from './_database/value.ts'

const { schemas, requires } = settings
const UNKNOWN_NAME = /^(42P01|42703|42883|3F000)$/

const queryDatabase = defineTool({
  name: 'query_database',
  title: 'Query Database',
  description:
    'Runs one read-only SQL statement (SELECT, VALUES, TABLE, WITH … SELECT) of PostgreSQL and returns its rows with the ' +
    `columns and their types, at most ${MAX_ROWS} rows at a time; pass nextCursor as cursor for more, and use ORDER BY ` +
    `then. Tables and columns are in the resource database://{database}/schema, such as database://${schemas[0]}/schema, ` +
    'and in information_schema.columns; tables of the other databases can be named as database.table. Numbers that JSON cannot hold come as strings. ' +
    'Example: { "query": "SELECT 6 * 7 AS answer", "database": ' +
    `"${schemas[0]}" } gives { "columns": [{ "name": "answer", "type": "integer" }], "rows": [[42]], "rowCount": 1 }.`,
  inputSchema: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 20_000, description: 'One statement of SQL that reads' }),
      database: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: schemas,
          default: schemas[0],
          description: 'Whose tables need no prefix',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ maxLength: 200, description: 'nextCursor of the page before, with the same query and database' }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    columns: Type.Array(
      Type.Object({ name: Type.String(), type: Type.String({ description: 'As PostgreSQL names it' }) }),
    ),
    rows: Type.Array(Type.Array(Value), {
      description: 'Values in the order of the columns; bytea in hex, such as \\x00ff',
    }),
    rowCount: Type.Integer({ description: 'Rows of this page' }),
    nextCursor: Type.Optional(Type.String({ description: 'There is more' })),
  }),
  scopes: ['database:read'],
  requires,
  settings: SETTINGS,
  annotations: { readOnlyHint: true, openWorldHint: false },
  // The first call waits until the embedded database has started.
  timeout: 60_000,
  // The number of connections that read: further calls wait in the server's queue, where clients
  // take turns.
  concurrency: READERS,
  async handler({ query, database = schemas[0], cursor }, { signal, log, progress }) {
    const asked = { query: statementOf(query), database }
    const offset = offsetOf(cursor, asked)
    const call = { schema: database, signal, log, progress }
    try {
      const { columns, rows, hasMore } = await db.read(lane => readPage(lane, asked.query, offset), call)
      const page = { columns, rows, rowCount: rows.length }
      return hasMore ? { ...page, nextCursor: cursorAt(offset + rows.length, asked) } : page
    } catch (error) {
      throw await explained(error, call)
    }
  },
})

// A final semicolon is customary; the server refuses a second statement after one.
function statementOf(query: string): string {
  const statement = query.replace(/(?<![;\s])[;\s]+$/, '')
  if (statement !== '' && !statement.includes('\0')) return statement
  throw new ToolError('The query is empty or holds a NUL character. Pass one SELECT.')
}

async function explained(error: unknown, call: Call): Promise<unknown> {
  const shown = toolErrorOf(error)
  if (!(error instanceof SqlFault && shown instanceof ToolError && UNKNOWN_NAME.test(error.report.code))) return shown
  const names = await db.read(lane => readableNames(lane, [...schemas, 'public']), call).catch(() => 'not known')
  return new ToolError(`${shown.message} Tables: ${names}. Their columns: database://${call.schema}/schema.`)
}

const resources = schemas.map(name =>
  defineResource({
    uri: `database://${name}/schema`,
    name: `Schema of the database ${name}`,
    description: 'Tables with columns, types, defaults, keys and comments, for query_database and create_record.',
    mimeType: 'application/json',
    scopes: ['database:read'],
    requires,
    async handler(_uri, _variables, { signal, log }) {
      try {
        const tables = await db.read(describeTables, { schema: name, signal, log })
        const note = tables.length < MAX_TABLES ? undefined : `Only the first ${MAX_TABLES} tables are here.`
        return JSON.stringify({ database: name, note, tables }, undefined, 1)
      } catch (error) {
        throw toolErrorOf(error)
      }
    },
  }),
)

export default [queryDatabase, ...resources]
