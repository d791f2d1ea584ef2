// The issuer alone is enough: its metadata names its keys (RFC 8414, OpenID Connect Discovery).
import type { ServerResponse } from 'node:http'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type App, build, call } from '../../../../test/support/app.ts'
import { type Issuer, keyIssuers } from '../../../../test/support/auth/forge.ts'
import {
  type IssuerServer,
  issuerServer,
  OAUTH,
  OPENID,
  OPENID_BEFORE,
  publish,
  tokenOf,
} from '../../../../test/support/auth/issuer-server.ts'
import { until } from '../../../../test/support/eventually.ts'
import { recorder } from '../../../../test/support/security/probe.ts'

const [rs, , es] = keyIssuers() as [Issuer, Issuer, Issuer]

const start = (t: Test, jwtIssuer: string | readonly string[]): Promise<App> =>
  build(t, { jwt: { issuer: jwtIssuer }, tools: [recorder().tool], rateLimit: { max: 1_000_000 } })
const statusOf = async (app: App, headers: Record<string, string>) =>
  (await call(app, 'tools/list', {}, { headers })).status
const readyOf = async (app: App) => (await app.inject('/ready')).json()

for (const [what, at, wellKnown] of [
  ['RFC 8414', '', OAUTH],
  ['RFC 8414, of an issuer with a path', '/realms/acme', OAUTH],
  ['OpenID Connect, before the path', '/realms/acme', OPENID_BEFORE],
  ['OpenID Connect, behind the path', '/realms/acme', OPENID],
  ['OpenID Connect, of an issuer that ends with a slash', '/', () => OPENID('')],
] as const) {
  t.test(`JWT_ISSUER alone: ${what}`, async t => {
    const server = await issuerServer(t)
    const issuer = publish(server, [rs], at, wellKnown)
    const app = await start(t, issuer)

    t.equal(await statusOf(app, tokenOf(rs, issuer)), 200)
    t.equal(await statusOf(app, tokenOf(es, issuer)), 401, 'a foreign key')
    t.equal(await statusOf(app, tokenOf(rs, `${issuer}x`)), 401, 'another issuer')
    t.strictSame((await app.inject('/.well-known/oauth-protected-resource/mcp')).json().authorization_servers, [issuer])
  })
}

async function refused(t: Test, change: (server: IssuerServer, issuer: string) => void): Promise<string> {
  const server = await issuerServer(t)
  const issuer = publish(server, [rs])
  change(server, issuer)
  const app = await start(t, issuer)
  t.equal(await statusOf(app, tokenOf(rs, issuer)), 503)
  t.equal((await app.inject('/ready')).statusCode, 503)
  return (await readyOf(app)).degraded.join()
}

t.test('B48: metadata of another issuer is refused, letter for letter, and the message names it', async t => {
  const said = await refused(t, ({ paths }, issuer) => {
    paths[OPENID('')] = { issuer: `${issuer}/`, jwks_uri: `${issuer}/jwks` }
  })

  t.match(
    said,
    /^issuer http:.*: no metadata of the issuer: it is of the issuer http:\/\/127\.0\.0\.1:\d+\/, and not of this one/,
  )
})

t.test('B48: keys at an address that is not https are not fetched', async t => {
  for (const jwks_uri of ['http://keys.example/jwks', 'ftp://127.0.0.1/jwks', '/jwks', '', null, undefined, 7]) {
    const said = await refused(t, ({ paths }, issuer) => {
      paths[OPENID('')] = { issuer, jwks_uri }
    })
    t.match(said, /it has no jwks_uri that is an https URL/, String(jwks_uri))
  }
})

t.test('B48: a redirect is not followed, and no metadata is named as such', async t => {
  const elsewhere = await issuerServer(t)
  const said = await refused(t, server => {
    server.paths[OPENID('')] = (_asked, response) =>
      response.writeHead(302, { location: `${elsewhere.origin}/metadata` }).end()
  })
  t.match(said, /redirect/)
  t.strictSame(elsewhere.asked, [])

  const none = await refused(t, ({ paths }) => {
    delete paths[OPENID('')]
  })
  t.match(none, /no metadata of the issuer: HTTP 404/)
})

for (const [what, answer] of [
  ['a redirect to its sign-in', (response: ServerResponse) => response.writeHead(302, { location: '/login' }).end()],
  ['a page of any size', (response: ServerResponse) => response.writeHead(200).end(' '.repeat(300_000))],
] as const) {
  t.test(`an issuer that answers unknown paths with ${what}: the next path is tried`, async t => {
    const server = await issuerServer(t)
    const issuer = publish(server, [rs])
    server.paths[OAUTH('')] = (_asked, response) => void answer(response)

    t.equal(await statusOf(await start(t, issuer), tokenOf(rs, issuer)), 200)
  })
}

t.test('keys that move are found where the metadata says', async t => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const server = await issuerServer(t)
  const issuer = publish(server, [rs])
  const app = await start(t, issuer)
  server.paths[OPENID('')] = { issuer, jwks_uri: `${issuer}/moved` }
  server.paths['/moved'] = { keys: [es.jwk] }

  for (let tick = 0; tick < 8; tick++) mock.timers.tick(30_000)

  await until(async () => (await statusOf(app, tokenOf(es, issuer))) === 200, 'the new key')
  t.equal(await statusOf(app, tokenOf(rs, issuer)), 401)
})

t.test('B45: two issuers without shared keys: each signs for itself', async t => {
  const server = await issuerServer(t)
  const [a, b] = [publish(server, [rs], '/a'), publish(server, [es], '/b')]
  const app = await start(t, [a, b])

  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  t.equal(await statusOf(app, tokenOf(es, b)), 200)
  t.equal(await statusOf(app, tokenOf(rs, b)), 401, 'the key of another')
  t.equal(await statusOf(app, tokenOf(es, a)), 401, 'the key of another')
  t.equal(await statusOf(app, tokenOf(rs, `${server.origin}/c`)), 401)
  t.equal(server.asked.filter(({ path }) => path.startsWith('/c')).length, 0, 'no stranger is asked')
})

t.test('one of two issuers away: the other goes on, and /ready says which', async t => {
  const server = await issuerServer(t)
  const [a, b] = [publish(server, [rs], '/a'), publish(server, [es], '/b')]
  server.paths['/b/jwks'] = (_asked, response) => response.writeHead(500).end()
  const app = await start(t, [a, b])

  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  t.equal(await statusOf(app, tokenOf(es, b)), 503)
  t.strictSame(await readyOf(app), { status: 'ready', degraded: [`issuer ${b}: HTTP 500`] })
})
