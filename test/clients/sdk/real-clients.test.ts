// Every shipped tool as a real client of each era drives it, over a socket, its user's confirmation included.
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { isSameJson } from '../../../src/protocol/same-json.ts'
import { connect } from '../../support/clients/connect.ts'
import { serveSdk1 } from '../../support/clients/connect-sdk1.ts'
import { everyTool } from '../../support/tools/every-tool.ts'
import { SHIPPED } from '../../support/tools/shipped.ts'

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>
  readResource(params: { uri: string }): Promise<unknown>
}

/** What the user says to a question. */
type User = (question: string) => { action: 'accept' | 'decline'; content?: { confirm: boolean } }

const ERAS: Readonly<Record<string, (t: Test, user: User) => Promise<AnyClient>>> = {
  async 'client 2.x, 2026-07-28'(t, user) {
    const { client } = await connect(t, SHIPPED, { capabilities: { elicitation: {} } }, client =>
      client.setRequestHandler('elicitation/create', ({ params }) => user(params.message)),
    )
    return client
  },
  async 'sdk 1.x, a session of 2025-11-25'(t, user) {
    const { client } = await serveSdk1(t, SHIPPED, {
      capabilities: { elicitation: {} },
      prepare: client => client.setRequestHandler(ElicitRequestSchema, ({ params }) => user(params.message)),
    })
    return client
  },
}

interface Result {
  content?: { type: string; text?: string }[]
  structuredContent?: unknown
}

/** The texts of a result that are its structure. */
function textsOfStructure({ content = [], structuredContent }: Result): string[] {
  const json = JSON.stringify(structuredContent)
  return content.flatMap(({ text }) => (text !== undefined && isSameJson(text, structuredContent, json) ? [text] : []))
}

for (const [era, open] of Object.entries(ERAS)) {
  t.test(`${era}: every tool is listed, and does what it says`, async t => {
    const drives = await everyTool(t)
    const asked: string[] = []
    const client = await open(t, question => {
      asked.push(question)
      return { action: 'accept', content: { confirm: true } }
    })

    const { tools } = await client.listTools()

    t.strictSame(tools.map(({ name }) => name).sort(), Object.keys(drives).sort())
    for (const [name, { args, told, asks }] of Object.entries(drives)) {
      const result = await client.callTool({ name, arguments: args })
      t.match(result, { isError: undefined, ...told }, name)
      t.equal(textsOfStructure(result).length, 1, `${name}: its JSON is said as text, once`)
      t.match(asked.splice(0), asks === undefined ? [] : [asks], `${name}: what its user was asked`)
    }
  })

  t.test(`${era}: what the user declines is not done`, async t => {
    const drives = await everyTool(t)
    const client = await open(t, () => ({ action: 'decline' }))
    const use = async (name: string) => client.callTool({ name, arguments: drives[name]!.args })
    await use('write_file')

    await use('create_record')
    await use('delete_file')

    t.match(await use('query_database'), { structuredContent: { rows: [] } })
    t.match(await use('read_file'), drives['read_file']!.told)
  })

  t.test(`${era}: the resources beside the tools`, async t => {
    const drives = await everyTool(t)
    const client = await open(t, () => ({ action: 'decline' }))
    const read = async (uri: string) => ((await client.readResource({ uri })) as { contents: object[] }).contents
    await client.callTool({ name: 'write_file', arguments: drives['write_file']!.args })

    t.match(await read('files:///notes/todo.txt'), [{ mimeType: 'text/plain', text: 'Buy milk\n' }])
    t.match(await read('database://users/schema'), [{ text: /email/ }])
  })
}
