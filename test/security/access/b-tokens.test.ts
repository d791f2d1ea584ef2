// A forged, foreign or malformed token gets 401 and the challenge, with any kind of key.
import { mock } from 'node:test'
import t from 'tap'
import {
  attackTokens,
  attempt,
  isServed,
  keysTarget,
  METADATA,
  secretTarget,
} from '../../support/auth/attack-tokens.ts'
import { type Issuer, SECRET } from '../../support/auth/forge.ts'
import { ELSEWHERE } from '../../support/auth/forged.ts'
import { nowS } from '../../support/auth/tokens.ts'
import { CANARY } from '../../support/security/probe.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

t.test(
  'B1, B3 to B15, B29: none of the forged tokens is let in, and none breaks anything',
  { timeout: 120_000 },
  async t => {
    const report = await attackTokens(t)

    t.ok(report.tried >= 300, `${report.tried} tried`)
    for (const row of [
      'B1',
      'B3',
      'B4',
      'B5',
      'B6',
      'B7',
      'B8',
      'B9',
      'B10',
      'B11',
      'B12',
      'B13',
      'B14',
      'B15',
      'B29',
    ]) {
      t.ok(report.rows[row]! >= 15, `${row}: ${report.rows[row]}`)
    }
    t.strictSame(report.letIn, [])
    t.strictSame(report.broken, [])
    t.strictSame(report.odd, [])
    t.strictSame(report.leaked, [])
    t.equal(report.trapped, 0, 'no address that a token names is asked')
    t.equal(report.good, 32, 'sixteen kinds of key, each verified and then remembered')
    t.equal(report.ofGood, 32)
  },
)

t.test('B1: where no token was sent the challenge has no error; where one was, it has', async t => {
  const { app } = await secretTarget(t)

  for (const authorization of [undefined, '', 'Basic YTpi', 'DPoP x', 'Bearerx']) {
    const { headers } = await attempt(app, authorization === undefined ? {} : { authorization })
    t.equal(headers['www-authenticate'], `Bearer resource_metadata="${METADATA}"`, String(authorization))
  }
  for (const authorization of ['Bearer', 'Bearer x', 'bearer a.b.c', 'Bearer a, Bearer b']) {
    const { headers } = await attempt(app, { authorization })
    t.match(
      headers['www-authenticate'],
      /^Bearer error="invalid_token", error_description="[ -~]+", resource_metadata="/,
    )
  }
})

t.test('B2: the scheme is accepted in any case, and with more than one space', async t => {
  const { app, trusted } = await secretTarget(t)

  for (const scheme of ['bearer ', 'BEARER ', 'bEaReR ', 'Bearer   ']) {
    t.ok(isServed(await attempt(app, { authorization: `${scheme}${trusted[0]!.token()}` })), scheme)
  }
})

t.test('B3: a token that is elsewhere is not used and not logged, also beside a good one', async t => {
  const { app, trusted } = await secretTarget(t)
  const other = trusted[0]!.token({ sub: 'other' })

  for (const { name, ...sent } of ELSEWHERE(other)) {
    const got = await attempt(app, { ...sent, headers: { ...sent.headers, authorization: 'Bearer x' } })
    t.equal(got.status, 401, name)
  }
  t.notOk(app.logs.text.includes(other.split('.')[1]!))
})

const isAccepted = async (issuer: Issuer, app: Parameters<typeof attempt>[0], payload: object | string, header = {}) =>
  isServed(await attempt(app, bearer(issuer.token(payload, header))))

t.test('B9: a claim that is named like a prototype is ignored', async t => {
  const { app, trusted } = await secretTarget(t)
  const [issuer] = trusted
  const claims = JSON.stringify({ iss: 'https://as.example', sub: 'alice', exp: nowS() + 60, aud: METADATA }).slice(1)
  const ours = claims.replace(METADATA, 'http://127.0.0.1:3000/mcp')

  t.ok(await isAccepted(issuer!, app, `{"__proto__":{"admin":true,"scope":"admin"},${ours}`))
  t.ok(await isAccepted(issuer!, app, `{"\\u005f_proto__":1,${ours}`))
  t.ok(await isAccepted(issuer!, app, `{"constructor":{"prototype":{"admin":true}},${ours}`))
  t.notOk(await isAccepted(issuer!, app, `{"__proto__":1,"__proto__":2,${ours}`))
  t.equal(({} as Record<string, unknown>)['admin'], undefined)
})

t.test(
  'B10, B11, B13, B14: what is accepted: tolerance of clocks, arrays of audiences, types of access tokens',
  async t => {
    const { app, trusted } = await keysTarget(t, [])

    for (const issuer of trusted) {
      t.ok(await isAccepted(issuer, app, { exp: nowS() - 20 }))
      t.ok(await isAccepted(issuer, app, { nbf: nowS() + 20, iat: nowS() + 20 }))
      t.ok(await isAccepted(issuer, app, { exp: nowS() + 86_000 }))
      t.ok(await isAccepted(issuer, app, { exp: nowS() + 60.5 }))
      t.ok(await isAccepted(issuer, app, { aud: ['https://other.example', 'http://127.0.0.1:3000/mcp'] }))
      for (const typ of [undefined, 'JWT', 'jwt', 'AT+JWT', 'application/at+jwt']) {
        t.ok(await isAccepted(issuer, app, { client_id: 'app' }, { typ }), String(typ))
      }
    }
  },
)

t.test(
  'B17: a remembered token is refused after its end, and another of the same subject has its own claims',
  async t => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    t.teardown(() => mock.timers.reset())
    const { app, trusted } = await secretTarget(t)
    const [iat, exp] = [nowS(), nowS() + 10]
    const [token, broader] = [trusted[0]!.token({ iat, exp }), trusted[0]!.token({ iat, exp: exp + 600, scope: 'a' })]

    t.ok(isServed(await attempt(app, bearer(token))))
    t.ok(isServed(await attempt(app, bearer(broader))))
    mock.timers.setTime((exp + 29) * 1000)
    t.ok(isServed(await attempt(app, bearer(token))), 'within the tolerance')
    mock.timers.setTime((exp + 31) * 1000)
    t.equal((await attempt(app, bearer(token))).status, 401)
    t.ok(isServed(await attempt(app, bearer(broader))))
  },
)

t.test('requests that come at once are each judged by their own token', async t => {
  const { app, trusted } = await keysTarget(t, [])
  const [good, other] = [trusted[0]!, trusted[1]!]
  const tokens = Array.from({ length: 60 }, (_, at) => {
    const token = (at % 3 === 2 ? other : good).token({ jti: String(at) })
    return at % 3 === 1 ? token.replace(/[^.]+$/, other.token().split('.')[2]!) : token
  })

  const got = await Promise.all(tokens.map(token => attempt(app, bearer(token))))

  t.strictSame(
    got.map(({ status }) => status),
    tokens.map((_, at) => (at % 3 === 1 ? 401 : 200)),
  )
})

t.test('the library that verifies is never quoted, nor is a secret', async t => {
  const { app, trusted } = await secretTarget(t, { stateSecret: CANARY })
  const [header, payload] = trusted[0]!.token().split('.')

  const { text, headers } = await attempt(app, bearer(`${header}.${payload}.AAAA`))

  t.match(headers['www-authenticate'], 'the signature is not valid')
  for (const word of ['FAST_JWT', 'FST_JWT', 'TokenError', SECRET, 'stack']) {
    t.notOk(`${text} ${JSON.stringify(headers)} ${app.logs.text}`.includes(word), word)
  }
})
