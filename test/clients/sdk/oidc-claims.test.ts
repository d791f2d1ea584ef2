// Scopes with a prefix, roles and claims by a real authorization server (oidc-provider) and the
// official clients: what they ask for, what they may then use, and that the ID token which they get
// beside it opens nothing.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { giveNothingUp } from '../../support/auth/jwks-rack.ts'
import { authorizationServer, REGISTERED } from '../../support/clients/authorization-server.ts'
import { CLIENTS, oauthClient, REDIRECT_URL } from '../../support/clients/oauth-clients.ts'
import { freePort } from '../../support/free-port.ts'
import { valueIn } from '../../support/metrics/series.ts'
import { until } from '../../support/security/hostile.ts'

const PREFIX = 'api://shop/'
const [READ, WRITE] = ['prices:read', 'prices:write']

const getPrice = defineTool({
  name: 'get_price',
  scopes: [READ],
  annotations: { readOnlyHint: true },
  handler: (_, { caller }) => JSON.stringify({ scopes: caller?.scopes, claims: caller?.claims }),
})
const setPrice = defineTool({ name: 'set_price', scopes: [READ, WRITE, 'role:trader'], handler: () => 'set' })
const close = defineTool({ name: 'close_shop', scopes: ['role:owner'], handler: () => 'closed' })

for (const which of CLIENTS) {
  t.test(`${which}: signs in, steps up, and a role that it lacks is asked of nobody`, async t => {
    giveNothingUp(t)
    const claims = { 'https://shop.example/tenant': 'acme', org: { team: 'east' }, roles: ['trader', 'Price Team'] }
    const scopes = [`${PREFIX}${READ}`, `${PREFIX}${WRITE}`]
    const { issuer, jwksUrl } = await authorizationServer(t, ['openid', ...scopes], REDIRECT_URL, { claims })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    const app = await build(t, {
      tools: [getPrice, setPrice, close],
      port,
      listTtlMs: 0,
      scopes: { supported: ['openid', READ] },
      jwt: {
        jwksUrl,
        issuer,
        algorithms: 'ES256',
        scopePrefix: PREFIX,
        scopeClaims: { scope: '', roles: 'role:' },
        claims: { tenant: 'https://shop.example/tenant', team: 'org.team' },
      },
    })
    await app.listen({ host: '127.0.0.1', port })
    const hasKeys = async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' })) === 1
    await until(hasKeys, 'keys are there')
    const client = oauthClient(t, which, { url, user: { account: 'alice', grants: scopes }, clientId: REGISTERED })
    const asked = () => client.sent.findLast(({ url }) => url.pathname === '/auth')!.form['scope']

    await t.rejects(client.connect(), { message: /Unauthorized/ })
    await client.finish()

    t.equal(asked(), `openid ${PREFIX}${READ}`)
    const [{ text }] = (await client.callTool('get_price')) as [{ text: string }]
    t.strictSame(JSON.parse(text), { scopes: [READ, 'role:trader'], claims: { tenant: 'acme', team: 'east' } })
    const idToken = client.idToken()
    t.type(idToken, 'string')
    const headers = { authorization: `Bearer ${idToken}` }
    t.equal((await call(app, 'tools/list', {}, { headers })).status, 401, 'an ID token is not an access token')

    await t.rejects(client.callTool('set_price'))
    await client.finish()
    t.match(asked(), new RegExp(`${PREFIX}${WRITE}`))
    t.notMatch(asked(), 'role:', 'a client cannot ask for a role')
    t.match(await client.callTool('set_price'), [{ text: 'set' }])
    t.match(await client.listTools(), ['get_price', 'set_price'])
  })
}
