// On behalf of users behind the broker: the server's own client of token endpoints asks the broker,
// which has the provider's refresh token; the provider is shaped as Entra is.
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { TokenEndpoint } from '../../../token-exchange/src/token-endpoint.ts'
import { exchangeToken, payloadOf, post, RESOURCE, refresh, register, signIn, startBroker } from '../support/broker.ts'

const SECRET = 'a-secret-of-the-server-and-the-broker'
const GRAPH = 'https://graph.example'
const broker = await startBroker(t, { EXCHANGE_CLIENT_SECRET: SECRET })
const { upstream } = broker

const endpointWith = (clientSecret: string) =>
  new TokenEndpoint({
    url: undefined,
    issuer: broker.url,
    clientId: 'toolrack-server',
    clientSecret: () => clientSecret,
    grant: 'token-exchange',
    mayAsk: () => true,
  })
const server = endpointWith(SECRET)
t.teardown(() => server.close())
const graph = { audience: GRAPH, resource: undefined, scopes: ['User.Read'] }

async function connect(account: string) {
  const { clientId, tokens } = await signIn(broker, account)
  return { clientId, ...tokens.body }
}

const scopeIn = (token: string) => Buffer.from(token.split('.')[1]!, 'base64url').toString()

t.test('the server gets a token of the provider, for the service and the scopes that it names', async t => {
  const { access_token: token, clientId, refresh_token: own } = await connect('alice')

  const first = await server.exchange(token, graph)
  t.equal(scopeIn(first.accessToken), `${GRAPH}/User.Read`)
  t.ok(first.expiresInS! > 0)
  const all = await server.exchange(token, { audience: GRAPH, resource: undefined, scopes: [] })
  t.equal(scopeIn(all.accessToken), `${GRAPH}/.default`)
  const both = await Promise.all([server.exchange(token, graph), server.exchange(token, graph)])
  t.equal(both.length, 2, 'two at once do not lose the sign-in')
  t.match(await refresh(broker, clientId, own), { status: 200 })
})

t.test('the audit says for whom a token was given out, and for which service', async t => {
  const { access_token: token } = await connect('bob')
  await server.exchange(token, graph)

  const ofServer = () =>
    broker.process.lines.findLast(({ clientId, subject }) => clientId === 'toolrack-server' && subject)
  await until(() => ofServer()?.subject === 'bob', 'the line is there')
  t.match(ofServer(), { event: 'tokens_given', service: GRAPH, scope: 'User.Read' })
})

t.test('a provider that cannot say now is another answer than one that refuses', async t => {
  const { access_token: token } = await connect('alice')
  for (const [status, error] of [
    [400, 'temporarily_unavailable'],
    [400, 'server_error'],
    [429, 'slow_down'],
    [429, 'invalid_request'],
  ] as const) {
    upstream.answer = { status, body: { error } }
    t.match(await exchangeToken(broker, SECRET, token), { status: 503, body: { error: 'temporarily_unavailable' } })
  }
  upstream.answer = undefined
  t.match(await exchangeToken(broker, SECRET, token), { status: 200 })
})

t.test('a provider that refuses is what the server hears of, and the sign-in goes on', async t => {
  const { access_token: token, clientId, refresh_token: own } = await connect('alice')
  upstream.withoutConsent.push('https://hr.example')
  const refused = server.exchange(token, { audience: 'https://hr.example', resource: undefined, scopes: [] })

  await t.rejects(refused, { kind: 'refused', code: 'consent_required', needsUser: true })
  upstream.trouble = 500
  await t.rejects(server.exchange(token, graph), { name: 'ExchangeError', kind: 'failed' })
  upstream.trouble = undefined
  t.match(await refresh(broker, clientId, own), { status: 200 })
})

t.test('whoever has left gets none, and neither does a sign-in that has ended', async t => {
  upstream.users['lea'] = { email: 'lea@example.com', email_verified: true, hd: 'example.com' }
  const lea = await connect('lea')
  delete upstream.users['lea']
  await t.rejects(server.exchange(lea.access_token, graph), { kind: 'refused', code: 'invalid_grant' })

  const bob = await connect('bob')
  await refresh(broker, bob.clientId, bob.refresh_token)
  await refresh(broker, bob.clientId, bob.refresh_token)
  await t.rejects(server.exchange(bob.access_token, graph), { kind: 'refused', code: 'invalid_grant' })
})

t.test('only the server exchanges, and only access tokens of the broker', async t => {
  const { access_token: token, clientId } = await connect('alice')
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: GRAPH,
  }
  t.match(await post(broker, '/token', { ...form, client_id: clientId }), { status: 400 })
  t.match(await post(broker, '/token', { ...form, client_id: 'toolrack-server' }), { status: 401 })
  t.notMatch(await register(broker, { grant_types: [form.grant_type] }), { status: 201 })
  await t.rejects(endpointWith('another-secret-of-the-server').exchange(token, graph), { code: 'invalid_client' })

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const forged = await new SignJWT(payloadOf(token))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
    .sign(privateKey)
  for (const bad of [forged, 'none', `${token.slice(0, -8)}AAAAAAAA`])
    await t.rejects(server.exchange(bad, graph), { kind: 'refused', code: 'invalid_grant' })
  t.equal(payloadOf(token).aud, RESOURCE)
})

t.test('without the setting there is no such grant, and tokens say nothing of their sign-in', async t => {
  const plain = await startBroker(t)
  const metadata = (await (await fetch(`${plain.url}/.well-known/openid-configuration`)).json()) as {
    grant_types_supported: string[]
  }

  t.notOk(metadata.grant_types_supported.some(grant => grant.includes('token-exchange')))
})
