// The whole way with real parts: the official clients, a Toolrack server, the broker, the provider;
// and the same as the connectors of Claude and ChatGPT go it. Specification 2026-07-28:
// basic/authorization.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { CLIENTS, type OAuthClient, oauthClient, type Sent } from '../../../../test/support/clients/oauth-clients.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { callOver, serve } from '../../../../test/support/servers/own-process.ts'
import {
  ask,
  type Broker,
  exchange,
  PUBLIC_CLIENT,
  payloadOf,
  refresh,
  register,
  SCOPES,
  startBroker,
} from '../support/broker.ts'
import { Browser, leftFor } from '../support/browser.ts'
import { documentHost } from '../support/document-host.ts'

const TOOLS = {
  'prices.mjs': `
const whoAmI = ({ subject, claims }) => JSON.stringify({ subject, claims })
export default [
  {
    name: 'get_price',
    description: 'Says a price.',
    scopes: ['prices:read'],
    annotations: { readOnlyHint: true },
    handler: (_, { caller }) => whoAmI(caller),
  },
  {
    name: 'set_price',
    description: 'Sets a price.',
    scopes: ['prices:write'],
    handler: (_, { caller }) => caller.scopes.join(' '),
  },
]
`,
}

/** A resource of the same broker. */
const OTHER = 'https://other.example/mcp'

/** A Toolrack server behind a broker, as packages/broker/compose.yml puts them together. */
async function setUp(t: Test, settings: Record<string, string> = {}) {
  const port = await freePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const broker = await startBroker(t, { RESOURCE_URL: `${resource},${OTHER}`, SCOPES, ...settings })
  await serve(t, TOOLS, {
    PORT: String(port),
    PUBLIC_URL: resource,
    JWT_ISSUER: broker.url,
    JWT_JWKS_URL: `${broker.url}/jwks`,
    JWT_CLAIMS: 'tenant,email',
    LIST_TTL_MS: '0',
  })
  return { broker, resource }
}

const { broker, resource } = await setUp(t)

const steps = (sent: readonly Sent[]) => sent.map(({ verb, url, status }) => `${verb} ${url.pathname} ${status}`)
const lastToken = ({ sent }: OAuthClient) => sent.findLast(({ url }) => url.pathname === '/mcp')!.token!
const ALICE = { subject: 'alice', claims: { tenant: 'tenant-1', email: 'alice@example.com' } }

function connect(t: Test, which: (typeof CLIENTS)[number], account: string, refreshes = true) {
  const browser = new Browser([broker.url, broker.upstream.issuer])
  const authorize = async (start: URL) => leftFor(await browser.authorize(start, { account }))
  return oauthClient(t, which, { url: resource, user: { account, grants: [] }, authorize, refreshes })
}

for (const which of CLIENTS) {
  t.test(`${which}: 401, metadata, registration, question, sign-in, token, list, call, refresh`, async t => {
    const client = connect(t, which, 'alice')

    await t.rejects(client.connect(), { message: /Unauthorized/ })
    t.strictSame(steps(client.sent), [
      'POST /mcp 401',
      'GET /.well-known/oauth-protected-resource/mcp 200',
      'GET /.well-known/oauth-authorization-server 200',
      'POST /register 201',
      'GET /authorize 303',
    ])
    await client.finish()
    t.strictSame(await client.listTools(), ['get_price', 'probe'])
    t.strictSame(JSON.parse(((await client.callTool('get_price')) as { text: string }[])[0]!.text), ALICE)
    const first = lastToken(client)
    t.match(payloadOf(first), { iss: broker.url, aud: resource, scope: 'prices:read' })

    client.spoilToken()
    t.strictSame(await client.listTools(), ['get_price', 'probe'], 'after a refresh')
    t.match(
      client.sent.findLast(({ url }) => url.pathname === '/token'),
      {
        status: 200,
        form: { grant_type: 'refresh_token' },
      },
    )
    t.not(lastToken(client), first)
    const elsewhere = client.sent.filter(({ url }) => url.pathname !== '/mcp')
    t.ok(
      elsewhere.every(({ token }) => token === undefined),
      'tokens went to the server only',
    )
  })

  // With a refresh token, 1.x asks for a new token instead of asking its user, and gives up:
  // docs/guides/broker.md, "Limits".
  t.test(`${which}: 403, a question for more, call`, async t => {
    const client = connect(t, which, 'alice', which === CLIENTS[0])
    await t.rejects(client.connect(), { message: /Unauthorized/ })
    await client.finish()

    await t.rejects(client.callTool('set_price'), { message: /Unauthorized/ })
    await client.finish()
    t.match(await client.callTool('set_price'), [{ text: /prices:write/ }])
    t.match(payloadOf(lastToken(client)), { scope: /prices:write/ })
  })

  t.test(`${which}: a user whose claims allow no more stays where it is`, async t => {
    const client = connect(t, which, 'bob')
    await t.rejects(client.connect(), { message: /Unauthorized/ })
    await client.finish()

    await t.rejects(client.callTool('set_price'))
    await client.finish().catch(() => undefined)

    t.strictSame(await client.listTools(), ['get_price', 'probe'])
    t.notMatch(payloadOf(lastToken(client)).scope, 'prices:write')
  })
}

interface Place {
  readonly broker: Broker
  readonly resource: string
}

/** As the backend of a connector does it. @returns how its user ended, its tokens, and calls with a token */
async function connector(place: Place, clientId: string, redirect: string, secret?: string) {
  const own = { redirect_uri: redirect, resource: place.resource }
  const { url, verifier } = ask(place.broker, clientId, own)
  const browser = new Browser([place.broker.url, place.broker.upstream.issuer])
  const end = await browser.authorize(url, { account: 'alice' })
  const code = leftFor(end).get('code')!
  const proof: Record<string, string> = secret === undefined ? {} : { client_secret: secret }
  const tokens = await exchange(place.broker, clientId, code, verifier, { ...own, ...proof })
  const call = (token: string, at = place.resource) =>
    callOver(at, 'get_price', {}, { headers: { authorization: `Bearer ${token}` } })
  return { end, tokens, call }
}

const CALLBACKS = {
  Claude: 'https://claude.ai/api/mcp/auth_callback',
  ChatGPT: 'https://chatgpt.com/connector/oauth/a1B2c3D4',
  'ChatGPT, as it was': 'https://chatgpt.com/connector_platform_oauth_redirect',
}

for (const [name, redirect] of Object.entries(CALLBACKS)) {
  for (const method of ['none', 'client_secret_post']) {
    t.test(`the connector of ${name} registers itself with ${method}, calls and refreshes`, async t => {
      const { body } = await register(broker, {
        client_name: name,
        redirect_uris: [redirect],
        token_endpoint_auth_method: method,
        scope: 'prices:read',
      })
      const { end, tokens, call } = await connector({ broker, resource }, body.client_id, redirect, body.client_secret)

      t.match('left' in end && end.left.href, redirect)
      t.match(await call(tokens.body.access_token), {
        status: 200,
        body: { result: { content: [{ text: JSON.stringify(ALICE) }] } },
      })
      if (method === 'none') {
        const next = await refresh(broker, body.client_id, tokens.body.refresh_token)
        t.match(await call(next.body.access_token), { status: 200 })
      }
    })
  }
}

t.test('connectors that name themselves by a document need no registration', async t => {
  const host = await documentHost(t)
  const place = await setUp(t, {
    NODE_EXTRA_CA_CERTS: host.certificate,
    PRIVATE_CLIENT_HOSTS: host.host,
  })
  for (const [name, redirect] of Object.entries(CALLBACKS)) {
    const path = `/oauth/${randomUUID()}/client.json`
    const clientId = `${host.origin}${path}`
    host.documents.set(path, {
      body: { ...PUBLIC_CLIENT, client_id: clientId, client_name: name, redirect_uris: [redirect] },
    })
    const { tokens, call } = await connector(place, clientId, redirect)

    t.match(await call(tokens.body.access_token), { status: 200 }, name)
  }
})

t.test('the server takes no token of the broker for another resource', async t => {
  const { body } = await register(broker)
  const { tokens, call } = await connector({ broker, resource: OTHER }, body.client_id, PUBLIC_CLIENT.redirect_uris[0]!)
  t.equal(payloadOf(tokens.body.access_token).aud, OTHER)

  t.match(await call(tokens.body.access_token, resource), { status: 401 })
})
