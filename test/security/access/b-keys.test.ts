// The keys of the issuer: what the server does with tokens while the keys change or cannot be had.
import { mock } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type App, build } from '../../support/app.ts'
import { attempt, isServed } from '../../support/auth/attack-tokens.ts'
import { AUDIENCE, ISSUER, type Issuer, keyIssuers } from '../../support/auth/forge.ts'
import { type Answer, type JwksServer, jwksServer, keys } from '../../support/auth/jwks-server.ts'
import { until } from '../../support/security/hostile.ts'
import { echoCall, recorder, send } from '../../support/security/probe.ts'

const [rs, ps, es, ed] = keyIssuers() as [Issuer, Issuer, Issuer, Issuer]
const setOf = (...issuers: Issuer[]) => keys(...issuers.map(({ jwk }) => jwk))

async function rack(t: Test, answer: Answer): Promise<{ app: App; jwks: JwksServer }> {
  const jwks = await jwksServer(answer)
  t.teardown(() => jwks.close())
  const access = { jwt: { jwksUrl: jwks.url, issuer: ISSUER, audience: AUDIENCE } }
  const app = await build(t, { tools: [recorder().tool], rateLimit: { max: 1_000_000 }, ...access })
  return { app, jwks }
}

const sendToken = (app: App, token: string) => attempt(app, { authorization: `Bearer ${token}` })
const passes = async (app: App, issuer: Issuer, claims = {}) => isServed(await sendToken(app, issuer.token(claims)))

t.test('B26: no good token is refused while keys rotate, new ones and old ones at once', async t => {
  const rotate = async () => {
    const { app, jwks } = await rack(t, setOf(rs, es))
    t.ok(await passes(app, rs))
    jwks.answer = setOf(rs, es, ps, ed)
    // Signed before: a token waits for the keys by the clock, and signing would hold up their answer.
    const tokens = Array.from({ length: 20 }, (_, at) => [rs, ps, es, ed][at % 4]!.token({ jti: String(at) }))
    const got = await Promise.all(tokens.map(token => sendToken(app, token)))
    return { fetches: jwks.fetches, statuses: got.map(({ status }) => status) }
  }

  t.strictSame(await rotate(), { fetches: 2, statuses: new Array(20).fill(200) })
})

t.test('B26: a key that is taken away is refused within five minutes, though its token was remembered', async t => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const { app, jwks } = await rack(t, setOf(rs, ps))
  const [kept, lost] = [rs.token({ exp: Date.now() / 1000 + 3600 }), ps.token({ exp: Date.now() / 1000 + 3600 })]
  jwks.answer = setOf(rs)

  for (let half = 0; half < 9; half++) {
    mock.timers.tick(30_000)
    await delay(30)
    t.ok(isServed(await sendToken(app, kept)))
    await sendToken(app, lost)
  }

  await until(async () => (await sendToken(app, lost)).status === 401, 'it is refused')
})

t.test('B27: while the keys cannot be had, known keys are served and unknown ones refused soon', async t => {
  const { app, jwks } = await rack(t, setOf(rs))
  jwks.answer = () => {}
  await passes(app, rs)

  const { status, headers, message } = await send(app, {
    body: echoCall({ message: 'x' }),
    headers: { authorization: `Bearer ${es.token()}` },
  })

  t.equal(status, 503)
  t.match(message?.error?.message, /^The token cannot be verified now: the keys of its issuer cannot be fetched/)
  t.ok(Number(headers['retry-after']) > 0)
  t.equal(headers['www-authenticate'], undefined, 'a client must keep its token')
  t.ok(await passes(app, rs))
})

t.test(
  'B27: keys that were never there: /ready is 503, tokens are 503, and half a minute later all is well',
  async t => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const { app, jwks } = await rack(t, response => response.writeHead(500).end())
    const ready = async () => (await app.inject('/ready')).json()
    const statusOf = async (token: string) =>
      (await send(app, { body: echoCall({ message: 'x' }), headers: { authorization: `Bearer ${token}` } })).status

    t.equal(await statusOf(rs.token()), 503)
    t.equal((await app.inject('/ready')).statusCode, 503)
    t.match(await ready(), { status: 'starting', degraded: [/^issuer .*: HTTP 500$/] })
    jwks.answer = setOf(rs)
    mock.timers.tick(30_000)
    await until(async () => (await ready()).status === 'ready', 'the keys were there')
    t.strictSame(await ready(), { status: 'ready' })
    t.ok(await passes(app, rs))
    t.equal(await statusOf(es.token()), 401, 'a key that was fetched and is not there')
  },
)

t.test('B27: keys that cannot be fetched any more: ready, and degraded', async t => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const { app, jwks } = await rack(t, setOf(rs))
  t.ok(await passes(app, rs))
  await jwks.close()

  for (let tick = 0; tick < 9; tick++) mock.timers.tick(30_000)

  await until(async () => (await app.inject('/ready')).json().degraded !== undefined, 'it was noticed')
  const reply = await app.inject('/ready')
  t.equal(reply.statusCode, 200)
  t.match(reply.json(), { status: 'ready', degraded: [/^issuer .*ECONNREFUSED/] })
})

t.test('B28: hundreds of unknown key ids cost two fetches in all, and good tokens nothing', async t => {
  const { app, jwks } = await rack(t, setOf(rs))

  for (let at = 0; at < 400; at++) {
    const { status } = await sendToken(app, rs.token({}, { kid: `unknown ${at}` }))
    if (status !== 401) t.fail(String(status))
    if (at % 40 === 0) t.ok(await passes(app, rs, { jti: String(at) }))
  }

  t.equal(jwks.fetches, 2, 'that of the start is one of them')
})

t.test('B15: a token that is refused by its form or its claims has no keys fetched', async t => {
  const { app, jwks } = await rack(t, setOf(rs))
  const unknown = { kid: 'unknown' }
  const tokens = {
    'too long': rs.token({ x: 'x'.repeat(16 * 1024) }, unknown),
    expired: rs.token({ exp: 1 }, unknown),
    'for another': rs.token({ aud: 'other' }, unknown),
    'of another issuer': rs.token({ iss: 'https://other.example' }, unknown),
    'of no algorithm of ours': rs.token({}, { ...unknown, alg: 'ES256K' }),
    unsigned: rs.token({}, { ...unknown, alg: 'none' }),
  }

  for (const [name, token] of Object.entries(tokens)) t.equal((await sendToken(app, token)).status, 401, name)

  t.equal(jwks.fetches, 1)
})
