import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { connect } from '../../support/clients/connect.ts'

const route = defineTool({
  name: 'route',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      tenant: { type: 'object', properties: { id: { type: 'integer', 'x-mcp-header': 'Tenant-Id' } } },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      note: { type: 'string' },
    },
  },
  handler: args => JSON.stringify(args),
})

async function routed(t: Parameters<typeof connect>[0], args: Record<string, unknown>) {
  const { client, lastSent, app } = await connect(t, { tools: [route] })
  await client.listTools()
  const result = await client.callTool({ name: 'route', arguments: args })
  return { result, headers: lastSent('tools/call').headers, app }
}

t.test('mirrored parameters: the client sends them as headers, and the server agrees', async t => {
  const args = { region: 'eu-west', tenant: { id: 42 }, dry: false, note: 'unmirrored' }

  const { result, headers } = await routed(t, args)

  t.strictSame(result.content, [{ type: 'text', text: JSON.stringify(args) }])
  t.equal(headers.get('mcp-param-region'), 'eu-west')
  t.equal(headers.get('mcp-param-tenant-id'), '42')
  t.equal(headers.get('mcp-param-dry'), 'false')
})

for (const region of ['Zürich', '東京 👋', ' padded ', 'a\nb', '', '=?base64?eA==?=', 'tab\there']) {
  t.test(`mirrored parameters: the value ${JSON.stringify(region)} survives the header`, async t => {
    const { result, headers } = await routed(t, { region })

    t.strictSame(result.content, [{ type: 'text', text: JSON.stringify({ region }) }])
    t.ok(headers.has('mcp-param-region'))
  })
}

for (const id of [-7, 0, 2 ** 53 - 1]) {
  t.test(`mirrored parameters: the integer ${id} survives the header`, async t => {
    const { result } = await routed(t, { tenant: { id } })

    t.strictSame(result.content, [{ type: 'text', text: JSON.stringify({ tenant: { id } }) }])
  })
}

t.test('mirrored parameters: what is not given has no header', async t => {
  const { result, headers } = await routed(t, { note: 'only' })

  t.not(result.isError, true)
  t.strictSame(
    [...headers.keys()].filter(name => name.startsWith('mcp-param-')),
    [],
  )
})

t.test('mirrored parameters: a client that has not listed the tools learns of them and repeats its call', async t => {
  const { client, sent } = await connect(t, { tools: [route] })

  const result = await client.callTool({ name: 'route', arguments: { region: 'eu' } })

  t.strictSame(result.content, [{ type: 'text', text: '{"region":"eu"}' }])
  t.match(
    sent.filter(({ method }) => method !== 'server/discover').map(({ method, status }) => [method, status]),
    [
      ['tools/call', 400],
      ['tools/list', 200],
      ['tools/call', 200],
    ],
  )
})
