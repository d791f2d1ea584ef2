import { defineTool, Type, text } from 'toolrack'
import { canConfirm, confirm } from './_confirm.ts'
import { findTable, type Table } from './_database/catalog.ts'
import { WRITERS } from './_database/database.ts'
import { exactJson } from './_database/exact-json.ts'
import { toolErrorOf } from './_database/faults.ts'
import { database } from './_database/open.ts'
import { shownData } from './_database/question.ts'
import { checkData, type Data, insertRecord, nameOf } from './_database/record.ts'
import { SETTINGS, settings } from './_database/settings.ts'
import { Value } from './_database/value.ts'

const schemas = [...settings.schemas, 'public']

export default defineTool({
  name: 'create_record',
  title: 'Create Database Record',
  description:
    'Inserts one row into a table and returns it as it was stored, defaults included. Tables and columns are in the ' +
    `resource database://{database}/schema. The user is asked to confirm where the client can ask. ` +
    'Example: { "table": "users.users", "data": { "name": "Ada Lovelace", "email": "ada@example.org" } } gives ' +
    '{ "table": "users.users", "record": { "id": 37, "name": "Ada Lovelace", … } }.',
  inputSchema: Type.Object(
    {
      table: Type.String({ minLength: 1, maxLength: 130, description: 'Such as users, or users.users' }),
      data: Type.Record(Type.String(), Value, {
        propertyNames: { minLength: 1, maxLength: 63 },
        maxProperties: 200,
        description: 'Values by column, bytea in hex, such as \\x00ff; defaults apply to the others',
      }),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    table: Type.String({ description: 'With its schema' }),
    record: Type.Record(Type.String(), Value),
  }),
  scopes: ['database:write'],
  requires: settings.requires,
  settings: SETTINGS,
  annotations: {
    title: 'Create Database Record',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  timeout: 60_000,
  // The number of connections that write.
  concurrency: WRITERS,
  async handler({ table: name, data }, ctx) {
    const call = { schema: settings.schemas[0], signal: ctx.signal, log: ctx.log, progress: ctx.progress }
    const table = await told(
      database.look(async lane => {
        const found = await findTable(lane, name, schemas)
        await checkData(lane, found, data)
        return found
      }, call),
    )
    // An answer is valid for this table only, even if the name means another table by then.
    const key = `create ${nameOf(table)}`.slice(0, 128)
    if (canConfirm(ctx) && !(await confirm(ctx, key, questionOf(table, data)))) {
      return { isError: true, content: [text(`The user declined. Nothing was created in ${nameOf(table)}.`)] }
    }
    const { record } = await told(database.insert(lane => insertRecord(lane, table, data), call))
    return { table: nameOf(table), record: exactJson(record) as Data }
  },
})

const questionOf = (table: Table, data: Data) => `Create this record in ${nameOf(table)}? ${shownData(data)}`

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toolErrorOf(error)
  }
}
