// A flood of bad tokens takes nothing from good ones, seen before or not, even if all come from one
// address, as behind a proxy.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { TOKEN_CACHE_MS } from '../../../packages/tokens/src/token-cache.ts'
import { MAX_WAITING } from '../../../packages/tokens/src/turns.ts'
import { MAX_SAVED_UNITS } from '../../../packages/tokens/src/verification-budget.ts'
import { type App, build } from '../../support/app.ts'
import { isServed } from '../../support/auth/attack-tokens.ts'
import { AUDIENCE, bareIssuers, ISSUER, type Issuer, keyIssuers, secretIssuer } from '../../support/auth/forge.ts'
import { jwksServer, keys } from '../../support/auth/jwks-server.ts'
import { merged } from '../../support/merged.ts'
import { counted } from '../../support/metrics/series.ts'
import { until } from '../../support/security/hostile.ts'
import { echoCall, type Got, recorder, send } from '../../support/security/probe.ts'

const [rs] = keyIssuers() as [Issuer]
const es512 = bareIssuers()[4]!

async function rack(t: Test, options = {}): Promise<App> {
  const jwks = await jwksServer(keys(rs.jwk, es512.jwk))
  t.teardown(() => jwks.close())
  const access = { jwt: { jwksUrl: jwks.url, issuer: ISSUER, audience: AUDIENCE } }
  return build(t, merged({ tools: [recorder().tool], rateLimit: { max: 1_000_000 }, ...access }, options))
}

const body = echoCall({ message: 'x' })
const post = (app: App, token: string, remoteAddress = '192.0.2.1'): Promise<Got> =>
  send(app, { body, headers: { authorization: `Bearer ${token}` }, remoteAddress })

/** Tokens that are right in all but their signature, none like another. */
function badOf(issuer: Issuer): () => string {
  const [header, payload, signature] = issuer.token().split('.') as [string, string, string]
  const bytes = Buffer.from(signature, 'base64url')
  let made = 0
  return () => {
    bytes.writeUInt32BE(++made, 8)
    return `${header}.${payload}.${bytes.toString('base64url')}`
  }
}

/** How many were decided on by the budget. */
const decided = async (app: App) =>
  (await counted(app, 'toolrack_limiter_decisions_total'))
    .filter(([{ limiter }]) => limiter === 'tokens')
    .reduce((sum, [, count]) => sum + count, 0)

t.test(
  'B15: after hundreds of refused tokens a good one that was not seen before passes, from the same address',
  async t => {
    const app = await rack(t)
    const bad = badOf(rs)

    for (let sent = 0; sent < 500; sent++) {
      const { status } = await post(app, bad())
      if (status !== 401) return t.fail(String(status))
      if (sent % 50 === 0) t.ok(isServed(await post(app, rs.token({ jti: `${sent}` }))), `after ${sent}`)
    }

    t.ok(isServed(await post(app, rs.token({ sub: 'bob' }))))
  },
)

t.test('B15: while hundreds come at once, good ones of other addresses are served', async t => {
  const app = await rack(t)
  const bad = badOf(es512)
  const good = Array.from({ length: 10 }, (_, at) => rs.token({ jti: String(at) }))

  // Each counts for ten: past the first 200 they wait.
  const flood = Array.from({ length: 500 }, () => post(app, bad()))
  const got = await Promise.all(good.map((token, at) => post(app, token, `198.51.100.${at}`)))
  const statuses = (await Promise.all(flood)).map(({ status }) => status)

  t.strictSame(
    got.map(({ status }) => status),
    new Array(10).fill(200),
  )
  t.strictSame(
    statuses.filter(status => status !== 401 && status !== 503),
    [],
  )
})

/** No time passes for the budget until it does again: on a slow machine it would earn as fast as it spends. */
function standStill(t: Test): () => void {
  const atMs = performance.now()
  const idle = { idle: 0, active: 0, utilization: 1 }
  const mocked = [
    mock.method(performance, 'now', () => atMs),
    mock.method(performance, 'eventLoopUtilization', () => idle),
  ]
  const goOn = () => {
    for (const { mock: given } of mocked) given.restore()
  }
  t.teardown(goOn)
  return goOn
}

t.test(
  'B15: past the budget a token is refused with 503 and when to come again, and is not held to be bad',
  async t => {
    const app = await rack(t)
    const bad = badOf(es512)
    const seen = rs.token({ jti: 'seen' })
    t.ok(isServed(await post(app, seen)))

    const goOn = standStill(t)
    const statuses: number[] = []
    const flood = Array.from({ length: MAX_SAVED_UNITS / 10 + MAX_WAITING + 300 }, async () => {
      const got = await post(app, bad())
      statuses.push(got.status)
      return got
    })
    const known = await Promise.all(Array.from({ length: 20 }, () => post(app, seen)))
    await until(() => statuses.filter(status => status === 503).length >= 300, 'the last are refused')
    goOn()
    const refused = (await Promise.all(flood)).filter(({ status }) => status === 503)

    t.ok(known.every(isServed), 'who was seen before does not wait')
    for (const { message, headers } of refused) {
      t.match(headers['retry-after'], /^[1-3]$/)
      t.match(message, { error: { code: 50300, message: /too many new tokens wait to be verified/ } })
      t.notOk(headers['www-authenticate'], 'a new token would not help')
    }
    t.ok(isServed(await post(app, rs.token({ jti: 'later' }))))
  },
)

t.test('B28: whose token was good waits for nobody when it is verified again, a minute later', async t => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const app = await rack(t)
  const bad = badOf(es512)
  const seen = rs.token({ jti: 'seen' })
  t.ok(isServed(await post(app, seen)))
  mock.timers.tick(TOKEN_CACHE_MS)

  const flood = Array.from({ length: MAX_SAVED_UNITS / 10 + MAX_WAITING + 300 }, () => post(app, bad()))
  const got = await post(app, seen)
  await Promise.all(flood)

  t.ok(isServed(got))
  t.equal(await decided(app), flood.length + 1, 'it was no part of the budget')
})

t.test('B15: what is refused without looking at a signature is no part of the budget', async t => {
  const app = await rack(t)
  const token = rs.token()
  const tokens = {
    malformed: 'not.a.token',
    'too long': rs.token({ x: 'x'.repeat(16 * 1024) }),
    expired: rs.token({ exp: 1 }),
    'not valid yet': rs.token({ nbf: Date.now() / 1000 + 600 }),
    'of another issuer': rs.token({ iss: 'https://other.example' }),
    'for another': rs.token({ aud: 'https://other.example' }),
    'without a subject': rs.token({ sub: undefined }),
    'of an unknown key': rs.token({}, { kid: 'unknown' }),
    'of another algorithm': rs.token({}, { alg: 'PS256' }),
    'of an HMAC': secretIssuer().token({}, { kid: rs.kid }),
    unsigned: rs.token({}, { alg: 'none' }),
  }

  for (const [name, token] of Object.entries(tokens)) {
    t.equal((await post(app, token)).status, 401, name)
    t.equal(await decided(app), 0, name)
  }
  t.ok(isServed(await post(app, token)))
  t.equal(await decided(app), 1)
  t.ok(isServed(await post(app, token)))
  t.equal(await decided(app), 1, 'one that is remembered is none either')
})

t.test(
  'B15: past the rate of an address refused tokens get 429, which says what was counted, and good ones pass',
  async t => {
    const app = await rack(t, { rateLimit: { max: 50 } })
    const bad = badOf(rs)
    const got: Got[] = []
    for (let sent = 0; sent < 60; sent++) got.push(await post(app, bad()))
    const refused = got.filter(({ status }) => status === 429)

    t.equal(got.filter(({ status }) => status === 401).length, 50)
    t.equal(refused.length, 10)
    for (const { headers, message } of refused) {
      t.match(
        message?.error?.message,
        /^Too many requests: at most 50 refused tokens of one address in 60 s; retry in \d+ s$/,
      )
      t.ok(Number(headers['retry-after']) <= 60)
    }
    t.ok(isServed(await post(app, rs.token())), 'nobody is shut out')
    t.equal((await post(app, bad(), '192.0.2.2')).status, 401, 'another address')
  },
)

t.test('C7: so does a request without a token, which is counted for itself', async t => {
  const app = await rack(t, { rateLimit: { max: 5 } })
  const knock = () => send(app, { body })
  for (let sent = 0; sent < 5; sent++) t.equal((await knock()).status, 401)

  const { status, message } = await knock()

  t.equal(status, 429)
  t.match(message?.error?.message, /at most 5 requests without a token of one address in 60 s/)
})
