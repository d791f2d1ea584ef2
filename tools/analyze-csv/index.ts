import { defineTool, type ToolContext, ToolError, Type } from 'toolrack'
import { OPERATIONS, type Operation, summaryOf } from './column.ts'
import { openFile, openText, type Source } from './source.ts'
import { readTable } from './table.ts'

/** The scope that read_file needs too. */
const FILES_SCOPE = 'files:read'

export default defineTool({
  name: 'analyze_csv',
  title: 'Analyze CSV',
  description:
    'Computes sum, average, min, max and count for each column of CSV with a header line, given as text or as a file ' +
    'in the files folder of the server. Comma, semicolon, tab or bar between fields. Columns that hold anything but ' +
    'numbers get a count only. Example: { "csv": "city,visits\\nRome,3\\nOslo,4", "operations": ["sum"] } gives ' +
    '{ "rows": 2, "columns": [{ "name": "city", "type": "text", "count": 2 }, { "name": "visits", "type": "number", ' +
    '"count": 2, "sum": 7 }] }.',
  inputSchema: Type.Object(
    {
      csv: Type.Optional(Type.String({ maxLength: 900_000, description: 'The CSV itself; either this or filepath' })),
      filepath: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1024,
          description: 'A file, relative to the files folder, such as "sales/2026.csv"; either this or csv',
        }),
      ),
      operations: Type.Optional(
        Type.Array(Type.Unsafe<Operation>({ type: 'string', enum: OPERATIONS }), {
          minItems: 1,
          maxItems: OPERATIONS.length,
          uniqueItems: true,
          description: 'Default: all',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: 1000 }), {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: 'Names of the columns to look at, as in the header; default: all',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    rows: Type.Integer({ description: 'Without the header' }),
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: 'A repeated name has its number behind it: "price (2)"' }),
        type: Type.Unsafe<'number' | 'text' | 'mixed' | 'empty'>({
          type: 'string',
          enum: ['number', 'text', 'mixed', 'empty'],
          description: 'mixed: some values are numbers, some are not',
        }),
        count: Type.Integer({ description: 'Values that are not empty' }),
        sum: Type.Optional(Type.Number({ description: 'As all numbers here, of about 15 digits' })),
        average: Type.Optional(Type.Number()),
        min: Type.Optional(Type.Number()),
        max: Type.Optional(Type.Number()),
      }),
    ),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  timeout: 60_000,
  task: 'optional',
  concurrency: 4,
  async handler({ csv, filepath, operations = OPERATIONS, columns }, { caller, progress, signal }) {
    if (filepath !== undefined) assertMayRead(caller)
    const source = await open(csv, filepath)
    try {
      const table = await readTable(source, { columns, progress, signal })
      return { rows: table.rows, columns: table.columns.map(column => summaryOf(column, operations)) }
    } finally {
      await source.close()
    }
  },
})

// The tool itself needs no scope, since any caller may pass a text.
function assertMayRead(caller: ToolContext['caller']): void {
  if (caller === undefined || caller.scopes.includes(FILES_SCOPE)) return
  throw new ToolError(`A filepath needs a token with the scope ${FILES_SCOPE}. Pass the text as csv instead.`)
}

async function open(csv: string | undefined, filepath: string | undefined): Promise<Source> {
  if (csv !== undefined && filepath === undefined) return openText(csv)
  if (filepath !== undefined && csv === undefined) return openFile(filepath)
  throw new ToolError('Pass exactly one of csv (the text itself) and filepath (a file in the files folder).')
}
