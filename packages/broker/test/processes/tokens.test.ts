// What a client gets at the end: a short token for the one resource, with what the provider says of
// the user, and a refresh token that changes with each use. RFC 9068, RFC 8707; RFC 9700, 4.14.
import t from 'tap'
import {
  ask,
  exchange,
  headerOf,
  payloadOf,
  post,
  RESOURCE,
  refresh,
  registered,
  signIn,
  startBroker,
} from '../support/broker.ts'
import { leftFor, shownIn } from '../support/browser.ts'

const broker = await startBroker(t)

/** Signs in, and exchanges the code. */
const connect = (account: string, changes: Record<string, string | undefined> = {}) =>
  signIn(broker, account, { changes })

t.test('an access token is a JWT for the resource, with the claims that the operator chose', async t => {
  const { clientId, state, answer, tokens } = await connect('alice')
  const { access_token: token, ...rest } = tokens.body

  t.equal(answer.get('state'), state)
  t.equal(answer.get('iss'), broker.url)
  t.match(rest, { token_type: 'Bearer', expires_in: 600, scope: 'prices:read', refresh_token: /./ })
  t.match(headerOf(token), { typ: 'at+jwt', alg: 'ES256', kid: /./ })
  const { iat, exp, jti, ...claims } = payloadOf(token)
  t.equal(exp - iat, 600)
  t.match(jti, /./)
  t.strictSame(claims, {
    iss: broker.url,
    aud: RESOURCE,
    sub: 'alice',
    client_id: clientId,
    scope: 'prices:read',
    email: 'alice@example.com',
    tenant: 'tenant-1',
    groups: ['staff'],
    roles: ['Writer'],
  })
})

t.test('a user gets the scopes that its claims allow, and the client is told which', async t => {
  const both = { scope: 'prices:read prices:write' }

  t.equal((await connect('alice', both)).tokens.body.scope, 'prices:read prices:write')
  t.equal((await connect('bob', both)).tokens.body.scope, 'prices:read')
})

t.test('a client that names no scope asks for all; one that asks for what nobody may have gets none', async t => {
  t.equal((await connect('alice', { scope: undefined })).tokens.body.scope, 'prices:read prices:write')
  const { url } = ask(broker, await registered(broker), { scope: 'prices:write' })

  const answer = leftFor(await broker.browser().authorize(url, { account: 'bob' }))

  t.match(Object.fromEntries(answer), { error: 'access_denied', error_description: /none of the scopes/ })
})

t.test('a client that names no resource gets a token for the first', async t => {
  const { tokens } = await connect('bob', { resource: undefined })

  t.equal(payloadOf(tokens.body.access_token).aud, RESOURCE)
})

t.test('no token for a resource of others, neither asked for at first nor later', async t => {
  const clientId = await registered(broker)
  const page = shownIn(await broker.browser().go(ask(broker, clientId, { resource: 'https://other.example/mcp' }).url))
  t.match(page, { status: 400, html: /no tokens for that resource/ })

  const { url, verifier } = ask(broker, clientId)
  const code = leftFor(await broker.browser().authorize(url, { account: 'bob' })).get('code')!
  const later = await exchange(broker, clientId, code, verifier, { resource: 'https://other.example/mcp' })

  t.match(later, { status: 400, body: { error: 'invalid_target' } })
})

t.test('each use of a refresh token brings another; the sign-in does not last longer by it', async t => {
  const { clientId, tokens } = await connect('bob')
  const second = await refresh(broker, clientId, tokens.body.refresh_token)
  const third = await refresh(broker, clientId, second.body.refresh_token)

  t.match([second, third], [{ status: 200 }, { status: 200 }])
  t.equal(new Set([tokens, second, third].map(({ body }) => body.refresh_token)).size, 3)
  t.match(payloadOf(third.body.access_token), { sub: 'bob', email: 'bob@example.com', scope: 'prices:read' })
})

t.test('a refresh token that comes a second time ends all that came of its sign-in', async t => {
  const { clientId, tokens } = await connect('bob')
  const second = await refresh(broker, clientId, tokens.body.refresh_token)

  t.match(await refresh(broker, clientId, tokens.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await refresh(broker, clientId, second.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('of many who use one refresh token at once, at most one gets tokens, and loses them again', async t => {
  const { clientId, tokens } = await connect('bob')
  const all = await Promise.all(Array.from({ length: 8 }, () => refresh(broker, clientId, tokens.body.refresh_token)))
  const got = all.filter(({ status }) => status === 200)

  t.ok(got.length <= 1, `${got.length} got tokens`)
  for (const { body } of got) t.match(await refresh(broker, clientId, body.refresh_token), { status: 400 })
})

t.test('a code is good once, and its second use ends what came of the first', async t => {
  const { clientId, code, verifier, tokens } = await connect('bob')

  t.match(await exchange(broker, clientId, code, verifier), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await refresh(broker, clientId, tokens.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('of many who use one code at once, at most one gets tokens', async t => {
  const clientId = await registered(broker)
  const { url, verifier } = ask(broker, clientId)
  const code = leftFor(await broker.browser().authorize(url, { account: 'bob' })).get('code')!

  const all = await Promise.all(Array.from({ length: 8 }, () => exchange(broker, clientId, code, verifier)))

  t.ok(all.filter(({ status }) => status === 200).length <= 1)
})

t.test('a client can give its refresh token back', async t => {
  const { clientId, tokens } = await connect('bob')
  const form = { token: tokens.body.refresh_token, client_id: clientId }

  t.match(await post(broker, '/revoke', form), { status: 200 })
  t.match(await refresh(broker, clientId, tokens.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('neither codes, tokens nor secrets are in the log', async t => {
  const { code, tokens } = await connect('bob')

  t.match(broker.process.stdout, 'tokens issued')
  for (const secret of [code, tokens.body.access_token, tokens.body.refresh_token, 'a-secret-of-the-broker'])
    t.notMatch(broker.process.stdout, secret)
})
