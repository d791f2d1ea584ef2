// The whole OAuth flow with real parts: an authorization server, a user, the official clients, and their tokens.
// Specification 2026-07-28: basic/authorization, "Authorization Flow Steps" and "Step-Up Authorization Flow".
import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { giveNothingUp } from '../../support/auth/jwks-rack.ts'
import { authorizationServer, REGISTERED } from '../../support/clients/authorization-server.ts'
import { CLIENTS, type OAuthClient, oauthClient, REDIRECT_URL, type Sent } from '../../support/clients/oauth-clients.ts'
import { READ, priceTools as tools, WRITE } from '../../support/clients/price-tools.ts'
import { freePort } from '../../support/free-port.ts'
import { valueIn } from '../../support/metrics/series.ts'
import { until } from '../../support/security/hostile.ts'

interface Situation {
  /** Where the client begins; default: the endpoint. */
  readonly path?: string
  readonly server?: ServerOptions
  /** Of a client that does not register itself. */
  readonly clientId?: string
}

/** Toolrack, an authorization server that it trusts, and alice with one of the official clients. */
async function setUp(
  t: Test,
  which: (typeof CLIENTS)[number],
  { path = '/mcp', server = {}, clientId }: Situation = {},
) {
  const authority = await authorizationServer(t, [READ, WRITE], REDIRECT_URL)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}${path}`
  const { jwksUrl: jwtJwksUrl, issuer } = authority
  const access = { jwt: { jwksUrl: jwtJwksUrl, issuer }, authorizationServers: [issuer] }
  // Lists are fresh for no time: the client keeps them by time alone, also when it has a new token.
  giveNothingUp(t)
  const app = await build(t, { tools, port, listTtlMs: 0, ...access, ...server, jwt: { ...access.jwt, ...server.jwt } })
  await app.listen({ host: '127.0.0.1', port })
  // A start waits for 3 s, and a token for 80 ms: a busy machine may need longer.
  await until(
    async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' })) === 1,
    'keys are there',
  )
  const user = { account: 'alice', grants: [READ] as string[] }
  return { app, url, authority, user, client: oauthClient(t, which, { url, user, clientId }) }
}

const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
const steps = (sent: readonly Sent[]) => sent.map(({ verb, url, status }) => `${verb} ${url.pathname} ${status}`)
const last = (sent: readonly Sent[], path: string) => sent.findLast(({ url }) => url.pathname === path)!
const lastToken = ({ sent }: OAuthClient) => last(sent, '/mcp').token!
/** Tokens that went anywhere but to the endpoint. */
const tokensElsewhere = ({ sent }: OAuthClient) =>
  new Set(sent.filter(({ url }) => url.pathname !== '/mcp').map(({ token }) => token))

/** What must be true of each authorization, whoever asked for it. */
function assertAuthorized(t: Test, { sent }: OAuthClient, { url, scope }: { url: string; scope: string | undefined }) {
  const asked = last(sent, '/auth').form
  const { form } = last(sent, '/token')
  t.match(asked, { response_type: 'code', code_challenge_method: 'S256', resource: url })
  t.equal(asked['scope'], scope)
  t.match(form, { grant_type: 'authorization_code', resource: url, code: /./ })
  t.equal(createHash('sha256').update(form['code_verifier']!).digest('base64url'), asked['code_challenge'])
}

/** The last token is good for both tools. */
async function assertMayAll(t: Test, client: OAuthClient) {
  t.match(await client.callTool('set_price'), [{ text: `${READ} ${WRITE}` }])
  t.match(await client.callTool('get_price'), [{ text: 'a price for alice' }])
  t.strictSame((await client.listTools()).sort(), ['get_price', 'set_price'])
  t.match(payloadOf(lastToken(client)), { sub: 'alice', scope: `${READ} ${WRITE}` })
}

for (const which of CLIENTS) {
  t.test(`${which}: 401, metadata, authorization code with PKCE and resource, call`, async t => {
    const { url, authority, client } = await setUp(t, which)
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url)

    await t.rejects(client.connect(), { message: /Unauthorized/ })
    const untilAsked = [...client.sent]
    await client.finish()

    t.equal(untilAsked[0]!.challenge, `Bearer resource_metadata="${metadata}"`)
    t.strictSame(steps(untilAsked), [
      'POST /mcp 401',
      `GET ${metadata.pathname} 200`,
      'GET /.well-known/oauth-authorization-server 200',
      'POST /reg 201',
      'GET /auth 303',
    ])
    assertAuthorized(t, client, { url, scope: READ })
    t.strictSame(await client.listTools(), ['get_price'])
    t.match(await client.callTool('get_price'), [{ text: 'a price for alice' }])
    t.match(payloadOf(lastToken(client)), { iss: authority.issuer, aud: url, sub: 'alice', scope: READ })
    t.ok(authority.served.includes('GET /jwks 200'))
    t.strictSame([...tokensElsewhere(client)], [undefined])
  })

  t.test(`${which}: 403, step-up, call; what was granted before stays`, async t => {
    const { url, user, client } = await setUp(t, which, { clientId: REGISTERED })
    await t.rejects(client.connect(), { message: /Unauthorized/ })
    await client.finish()
    assertAuthorized(t, client, { url, scope: READ })
    await client.callTool('get_price')
    const first = lastToken(client)

    user.grants = [READ, WRITE]
    await t.rejects(client.callTool('set_price'), { message: /Unauthorized/ })
    const refused = client.sent.findLast(({ status }) => status === 403)!
    await client.finish()

    t.match(refused, { method: 'tools/call', token: first })
    t.match(refused.challenge, /^Bearer error="insufficient_scope", error_description="[^"]+", resource_metadata="/)
    t.match(refused.challenge, `scope="${READ} ${WRITE}"`)
    assertAuthorized(t, client, { url, scope: `${READ} ${WRITE}` })
    await assertMayAll(t, client)
    t.not(lastToken(client), first)
    t.strictSame([...tokensElsewhere(client)], [undefined])
  })

  // This authorization server lets a client that registers itself ask for no more than it did then.
  t.test(
    `${which}: with SCOPES_SUPPORTED it asks for all at first, and steps up when its user grants more`,
    async t => {
      const scopesSupported = [READ, WRITE]
      const { url, authority, user, client } = await setUp(t, which, {
        server: { scopes: { supported: scopesSupported } },
      })
      await t.rejects(client.connect(), { message: /Unauthorized/ })
      await client.finish()
      assertAuthorized(t, client, { url, scope: `${READ} ${WRITE}` })
      t.strictSame(await client.listTools(), ['get_price'])

      user.grants = [READ, WRITE]
      await t.rejects(client.callTool('set_price'), { message: /Unauthorized/ })
      await client.finish()

      assertAuthorized(t, client, { url, scope: `${READ} ${WRITE}` })
      await assertMayAll(t, client)
      t.equal(authority.served.filter(served => served === 'POST /reg 201').length, 1)
      t.equal(authority.served.filter(served => served === 'POST /token 200').length, 2)
      t.strictSame([...tokensElsewhere(client)], [undefined])
    },
  )

  t.test(`${which}: over HTTP+SSE it is a resource of its own, from 401 at /sse to the token`, async t => {
    const { url, authority, client } = await setUp(t, which, { path: '/sse', server: { httpSse: true } })
    const metadata = new URL('/.well-known/oauth-protected-resource/sse', url)

    await t.rejects(client.connect(), { message: /Unauthorized/ })
    const untilAsked = [...client.sent]
    await client.finish()

    t.equal(untilAsked[0]!.challenge, `Bearer resource_metadata="${metadata}"`)
    t.strictSame(steps(untilAsked).slice(0, 2), ['GET /sse 401', `GET ${metadata.pathname} 200`])
    assertAuthorized(t, client, { url, scope: READ })
    t.match(await client.callTool('get_price'), [{ text: 'a price for alice' }])
    const { token } = last(client.sent, '/messages')
    t.match(payloadOf(token!), { iss: authority.issuer, aud: url, sub: 'alice', scope: READ })
  })
}
