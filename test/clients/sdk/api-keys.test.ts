// The official clients with an API key in the header, as machines have it: served until the key is
// taken away.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { listen, VERSION } from '../../support/app.ts'
import { keyed, type TestKey, testKey } from '../../support/auth/api-keys.ts'

const tools = [
  defineTool({
    name: 'get_price',
    scopes: ['prices:read'],
    handler: (_, { caller }) => `a price for ${caller?.subject} of ${caller?.claims?.['tenant']}`,
  }),
  defineTool({ name: 'set_price', scopes: ['prices:write'], handler: () => 'done' }),
]

const about = { name: 'test', version: '1.0.0' }
const CLIENTS: Readonly<
  Record<string, (url: string, options: { requestInit: RequestInit }) => readonly [Client1, unknown]>
> = {
  'SDK 2 in 2026-07-28': (url, options) => [
    new Client2(about, { versionNegotiation: { mode: { pin: VERSION } } }) as unknown as Client1,
    new Transport2(new URL(url), options),
  ],
  'SDK 1 with a session': (url, options) => [new Client1(about), new Transport1(new URL(url), options)],
  'SDK 1 over HTTP+SSE': (url, options) => [
    new Client1(about),
    new SSEClientTransport(new URL(url.replace(/\/mcp$/, '/sse')), options),
  ],
}

async function serve(t: Test, keys: readonly TestKey[]) {
  const { app, file } = await keyed(t, keys, { tools, httpSse: true, allowedHosts: '127.0.0.1' })
  return { app, file, url: `http://127.0.0.1:${await listen(app)}/mcp` }
}

for (const [which, create] of Object.entries(CLIENTS)) {
  t.test(`${which}: with a key it is served, and told what the key lacks, until the key is taken away`, async t => {
    const key = testKey({ scopes: ['prices:read'], claims: { tenant: 'acme' } })
    const { app, file, url } = await serve(t, [key])
    const [client, transport] = create(url, { requestInit: { headers: key.headers } })
    t.teardown(() => client.close())
    await client.connect(transport as never)

    t.match(await client.listTools(), { tools: [{ name: 'get_price' }] })
    t.match(await client.callTool({ name: 'get_price' }), { content: [{ text: 'a price for n8n of acme' }] })
    await t.rejects(client.callTool({ name: 'set_price' }), { message: /[Ii]nsufficient scope.*prices:write/ })

    file.set()
    await app.toolrack.reload()
    await t.rejects(client.callTool({ name: 'get_price' }), { message: /401|Unauthorized|not known/ })
  })

  t.test(`${which}: with another key it is refused`, async t => {
    const { url } = await serve(t, [testKey()])
    const [client, transport] = create(url, { requestInit: { headers: testKey().headers } })
    t.teardown(() => client.close())

    await t.rejects(client.connect(transport as never), { message: /401|Unauthorized/ })
  })
}
