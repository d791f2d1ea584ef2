// Trust domains of SPIFFE in ISSUERS_FILE: whose keys count, and which issuer a token without iss has.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type App, build, call } from '../../../../test/support/app.ts'
import { AUDIENCE, type Issuer, keyIssuers } from '../../../../test/support/auth/forge.ts'
import { issuerServer } from '../../../../test/support/auth/issuer-server.ts'
import { recorder } from '../../../../test/support/security/probe.ts'

const [rs, , es] = keyIssuers() as [Issuer, Issuer, Issuer]
const A = 'spiffe://a.example'
const B = 'spiffe://b.example'

/** @param rows each with its issuer, and the use that it publishes its key for */
async function start(
  t: Test,
  rows: readonly (readonly [issuer: string | readonly string[], key: Issuer, use: string, more?: object])[],
): Promise<App> {
  const server = await issuerServer(t)
  const entries = rows.map(([issuer, key, use, more], at) => {
    server.paths[`/${at}`] = { keys: [{ ...key.jwk, alg: undefined, use }], spiffe_sequence: 1 }
    return { issuer, jwksUrl: `${server.origin}/${at}`, ...more }
  })
  const issuersFile = join(t.testdir({}), 'issuers.json')
  writeFileSync(issuersFile, JSON.stringify({ issuers: entries }))
  return build(t, { issuersFile, tools: [recorder().tool], rateLimit: { max: 1_000_000 } })
}

const svid = (key: Issuer, sub: string, over: object = {}, header: object = {}) => ({
  authorization: `Bearer ${key.token({ iss: undefined, aud: AUDIENCE, sub, ...over }, { typ: 'JWT', ...header })}`,
})

const statusOf = async (app: App, headers: Record<string, string>) =>
  (await call(app, 'tools/list', {}, { headers })).status

t.test('B45: of several trust domains each signs for its own workloads', async t => {
  const app = await start(t, [
    [A, rs, 'jwt-svid'],
    [B, es, 'jwt-svid'],
    ['https://as.example', es, 'sig'],
  ])

  t.equal(await statusOf(app, svid(rs, `${A}/web`)), 200)
  t.equal(await statusOf(app, svid(es, `${B}/web`)), 200)
  t.equal(await statusOf(app, svid(rs, `${A}/web`, { iss: A })), 200)
  const denied = {
    'the key of another': svid(es, `${A}/web`),
    'a subject of another': svid(rs, `${B}/web`),
    'a subject of another, with its own issuer': svid(rs, `${B}/web`, { iss: A }),
    'a subject of nobody': svid(rs, 'spiffe://c.example/web'),
    'the trust domain itself': svid(rs, A),
    'no SPIFFE ID': svid(rs, 'web'),
    'the type JOSE, without a rule': svid(rs, `${A}/web`, {}, { typ: 'JOSE' }),
  }
  for (const [what, headers] of Object.entries(denied)) t.equal(await statusOf(app, headers), 401, what)
})

t.test('keys for JWT-SVIDs count for trust domains only, and keys for certificates for nobody', async t => {
  const app = await start(t, [
    ['https://as.example', rs, 'jwt-svid'],
    [A, es, 'x509-svid'],
  ])

  t.equal(await statusOf(app, svid(rs, 'alice', { iss: 'https://as.example', client_id: 'app' })), 401)
  t.equal(await statusOf(app, svid(es, `${A}/web`)), 401)
})

t.test('a trust domain may name an issuer besides, as SPIRE with jwt_issuer does', async t => {
  const app = await start(t, [[[A, 'https://spire.a.example'], rs, 'sig']])

  t.equal(await statusOf(app, svid(rs, `${A}/web`, { iss: 'https://spire.a.example' })), 200)
  t.equal(await statusOf(app, svid(rs, `${A}/web`)), 200)
  t.equal(await statusOf(app, svid(rs, `${A}/web`, { iss: 'https://other.example' })), 401)
})
