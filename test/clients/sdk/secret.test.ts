// The official clients at a server with JWT_SECRET alone, which has no authorization server to send them to: with a token
// they are served; without one they find nobody to ask, and say so.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { listening, VERSION } from '../../support/app.ts'
import { SECRET } from '../../support/auth/guarded.ts'
import { signed } from '../../support/auth/tokens.ts'
import { CLIENTS, oauthClient } from '../../support/clients/oauth-clients.ts'

const AUDIENCE = 'shop'
const READ = 'prices:read'
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

const tools = [
  defineTool({ name: 'get_price', scopes: [READ], handler: (_, { caller }) => `a price for ${caller?.subject}` }),
  defineTool({ name: 'set_price', scopes: ['prices:write'], handler: () => 'done' }),
]

const serve = async (t: Test) => (await listening(t, { tools, jwt: { secret: SECRET, audience: AUDIENCE } })).url

/** A client with this token, or none, and no way to get another. */
function clientOf(t: Test, which: (typeof CLIENTS)[number], url: string, token?: string) {
  const about = { name: 'test', version: '1.0.0' }
  const options = { requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } } }
  const [client, connect] =
    which === CLIENTS[0]
      ? open(
          new Client2(about, { versionNegotiation: { mode: { pin: VERSION } } }),
          new Transport2(new URL(url), options),
        )
      : open(new Client1(about), new Transport1(new URL(url), options))
  t.teardown(() => client.close())
  return { client, connect }
}

for (const which of CLIENTS) {
  t.test(`${which}: with a token it is served, and told what the token lacks`, async t => {
    const { client, connect } = clientOf(t, which, await serve(t), signed(SECRET, { aud: AUDIENCE, scope: READ }))
    await connect()

    t.match(await client.listTools(), { tools: [{ name: 'get_price' }] })
    t.match(await client.callTool({ name: 'get_price' }), { content: [{ text: 'a price for alice' }] })
    await t.rejects(client.callTool({ name: 'set_price' }), { message: /[Ii]nsufficient scope.*prices:write/ })
  })

  t.test(`${which}: without a token it is refused once`, async t => {
    const { connect } = clientOf(t, which, await serve(t))

    await t.rejects(connect(), { message: /401|Unauthorized/ })
  })

  t.test(`${which}: one that would get a token looks for who issues them, finds nobody, and asks no user`, async t => {
    const url = await serve(t)
    const client = oauthClient(t, which, { url, user: { account: 'alice', grants: [READ] } })

    await t.rejects(client.connect(), { message: /404/ })

    const [refused, ...looked] = client.sent
    t.match(refused, { status: 401, challenge: 'Bearer realm="toolrack"' })
    t.strictSame(
      looked.slice(0, 2).map(({ url }) => url.pathname),
      [`${WELL_KNOWN}/mcp`, WELL_KNOWN],
    )
    t.ok(looked.length < 10)
    t.ok(looked.every(({ status }) => status === 404))
  })
}

function open<T>(client: { connect(transport: T): Promise<void> }, transport: T) {
  return [client as Client1, () => client.connect(transport)] as const
}
