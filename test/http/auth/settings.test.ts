// Settings of access control that do not fit together stop the start, rather than leave a server open.
import { createPublicKey } from 'node:crypto'
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { getIssuerSpecs } from '../../../packages/tokens/src/issuer-specs.ts'
import { readAuthorizationServers } from '../../../packages/tokens/src/open.ts'
import { assertBind } from '../../../src/config/access.ts'
import { getResourceUri } from '../../../src/config/public-url.ts'
import { readOptions } from '../../../src/config/read-options.ts'
import { ConfigError } from '../../../src/config/settings.ts'
import { createServer } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { rsaKey } from '../../support/auth/rsa-keys.ts'
import { merged } from '../../support/merged.ts'

const JWT_SECRET = 'x'.repeat(32)
const JWT_JWKS_URL = 'https://as.example/jwks'
const JWT_ISSUER = 'https://as.example'
const FROM_ISSUER = { jwt: { jwksUrl: JWT_JWKS_URL, issuer: JWT_ISSUER } }
const refused = (options: object, message: RegExp) =>
  t.test(`refused: ${JSON.stringify(Object.keys(options))} ${message}`, async t => {
    await t.rejects(createServer(options), ConfigError)
    await t.rejects(createServer(options), { message })
  })

const publicKey = createPublicKey(rsaKey())
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string

refused({ jwt: { secret: JWT_SECRET, jwksUrl: JWT_JWKS_URL, issuer: JWT_ISSUER } }, /^jwt\.secret: .*jwt.jwksUrl/)
refused({ jwt: { jwksUrl: JWT_JWKS_URL } }, /^jwt\.issuer: .*jwt.jwksUrl/)
refused({ jwt: { issuer: 'as.example' } }, /^jwt\.issuer: expected jwt.jwksUrl beside it, or the https URL/)
refused({ jwt: { issuer: 'http://as.example' } }, /^jwt\.issuer: expected jwt.jwksUrl beside it, or the https URL/)
refused({ jwt: { audience: 'api' } }, /^jwt\.audience: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { clientIds: 'app' } }, /^jwt\.clientIds: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { scopeClaims: { scope: '' } } }, /^jwt\.scopeClaims: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { scopePrefix: 'api://x/' } }, /^jwt\.scopePrefix: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { algorithms: 'RS256' } }, /^jwt\.algorithms: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { secret: JWT_SECRET, algorithms: 'RS256' } }, /^jwt\.algorithms: expected HS256 alone/)
refused({ jwt: { secret: JWT_SECRET, algorithms: ['HS256', 'RS256'] } }, /^jwt\.algorithms: expected HS256 alone/)
refused(
  { ...FROM_ISSUER, jwt: { ...FROM_ISSUER.jwt, algorithms: ['RS256', 'HS256'] } },
  /^jwt\.algorithms: expected no HS256/,
)
refused(
  { ...FROM_ISSUER, jwt: { ...FROM_ISSUER.jwt, algorithms: 'HS512' } },
  /^jwt\.algorithms: expected one or more of HS256, RS256, .*EdDSA/,
)
refused(
  { ...FROM_ISSUER, jwt: { ...FROM_ISSUER.jwt, issuer: 'https://accounts.google.com' } },
  /^jwt\.clientIds: .*service accounts/,
)
refused(
  {
    ...FROM_ISSUER,
    jwt: { ...FROM_ISSUER.jwt, issuer: ['accounts.google.com'], clientIds: ['1042', '9-x.apps.googleusercontent.com'] },
  },
  /^jwt\.clientIds: .*service accounts/,
)
refused({ jwt: { claims: { tenant: 'tid' } } }, /^jwt\.claims: .*jwt.secret or jwt.jwksUrl/)
refused({ jwt: { secret: 'x'.repeat(31) } }, /^jwt\.secret: .*32 bytes/)
refused({ jwt: { secret: pem } }, /^jwt\.secret: .*shared secret/)
refused({ jwt: { secret: `  ${pem.trim()}` } }, /^jwt\.secret: .*shared secret/)
refused({ jwt: { secret: JSON.stringify(publicKey.export({ format: 'jwk' })) } }, /^jwt\.secret: .*shared secret/)
refused({ jwt: { jwksUrl: 'http://as.example/jwks', issuer: JWT_ISSUER } }, /^jwt\.jwksUrl: .*https/)
refused({ jwt: { jwksUrl: 'http://localhost.evil.example/jwks', issuer: JWT_ISSUER } }, /^jwt\.jwksUrl: .*https/)
refused({ jwt: { jwksUrl: 'http://127.0.0.1.evil.example/jwks', issuer: JWT_ISSUER } }, /^jwt\.jwksUrl: .*https/)

const exchange = { tokenExchange: { clientId: 'tools', clientSecret: 'x'.repeat(16) } }
const jwks = { jwt: { jwksUrl: JWT_JWKS_URL, issuer: JWT_ISSUER } }
refused(
  { ...jwks, tokenExchange: { url: 'https://as.example/token' } },
  /^tokenExchange\.url: .*tokenExchange.clientId/,
)
refused(
  { ...jwks, tokenExchange: { clientSecret: 'x'.repeat(16) } },
  /^tokenExchange\.clientSecret: .*tokenExchange.clientId/,
)
refused({ ...jwks, tokenExchange: { grant: 'jwt-bearer' } }, /^tokenExchange\.grant: .*tokenExchange.clientId/)
refused({ ...jwks, tokenExchange: { clientId: 'tools' } }, /^tokenExchange\.clientId: .*tokenExchange.clientSecret/)
refused(exchange, /^tokenExchange\.clientId: .*jwt.jwksUrl/)
refused(
  { ...exchange, tokenExchange: { ...exchange.tokenExchange, url: 'https://as.example/token' } },
  /^tokenExchange\.clientId: .*jwt.jwksUrl/,
)
refused({ ...exchange, jwt: { secret: JWT_SECRET } }, /^tokenExchange\.url: .*jwt.issuer/)
refused({ ...exchange, jwt: { secret: JWT_SECRET, issuer: 'internal' } }, /^tokenExchange\.url: .*jwt.issuer/)
refused(
  { ...exchange, jwt: { secret: JWT_SECRET, issuer: ['https://a.example', 'https://b.example'] } },
  /^tokenExchange\.url: /,
)
refused({ ...exchange, jwt: { secret: JWT_SECRET, issuer: 'http://as.example' } }, /^tokenExchange\.url: .*jwt.issuer/)
refused(
  { ...exchange, ...jwks, tokenExchange: { ...exchange.tokenExchange, url: 'http://as.example/token' } },
  /^tokenExchange\.url: .*https/,
)

t.test('tokens are exchanged where a client is set, and an endpoint is set or can be found', async t => {
  t.doesNotThrow(() => readOptions({ ...exchange, ...jwks }))
  t.doesNotThrow(() => readOptions({ ...exchange, jwt: { secret: JWT_SECRET, issuer: 'http://127.0.0.1:8080/realm' } }))
  const tokenExchangeUrl = 'https://as.example/token'
  t.doesNotThrow(() =>
    readOptions({
      ...exchange,
      jwt: { secret: JWT_SECRET },
      tokenExchange: { ...exchange.tokenExchange, url: tokenExchangeUrl },
    }),
  )
})

t.test('no message holds a secret', async t => {
  await t.rejects(createServer({ jwt: { secret: pem } }), { message: /^(?!.*MII)/s })
})

t.test('the audience is what was set, else the public URL letter for letter, else where it listens', async t => {
  const audienceOf = (options: object) =>
    getIssuerSpecs(readOptions({ ...merged({ jwt: { secret: JWT_SECRET } }, options) }))[0]!.rules.audiences.join()

  t.equal(audienceOf({ jwt: { audience: 'api' }, publicUrl: 'https://x.example/mcp' }), 'api')
  t.equal(audienceOf({ publicUrl: 'https://X.example:443/mcp' }), 'https://X.example:443/mcp')
  t.equal(audienceOf({ host: '::1', port: 8080 }), 'http://[::1]:8080/mcp')
  t.equal(getResourceUri(readOptions({})), 'http://127.0.0.1:3000/mcp')
})

t.test('JWT_ALGORITHMS: what keys can do is taken', async t => {
  t.strictSame(readOptions({ jwt: { secret: JWT_SECRET, algorithms: 'HS256' } }).jwtAlgorithms, ['HS256'])
  t.strictSame(
    readOptions({ ...FROM_ISSUER, jwt: { ...FROM_ISSUER.jwt, algorithms: ['ES256', 'RS256'] } }).jwtAlgorithms,
    ['ES256', 'RS256'],
  )
  t.doesNotThrow(() =>
    readOptions({
      ...FROM_ISSUER,
      jwt: { ...FROM_ISSUER.jwt, issuer: 'https://accounts.google.com', clientIds: '1042' },
    }),
  )
})

t.test('the issuer is where clients get tokens, unless others are named, or it is no URL', async t => {
  const serversOf = (issuer: string | readonly string[], options: object = {}) =>
    readAuthorizationServers(readOptions({ ...merged({ jwt: { secret: JWT_SECRET, issuer } }, options) }))

  t.strictSame(await serversOf(JWT_ISSUER), [JWT_ISSUER])
  t.strictSame(await serversOf(JWT_ISSUER, { authorizationServers: 'https://b.example' }), ['https://b.example'])
  t.strictSame(await serversOf('internal'), [])
  t.strictSame(await serversOf(['https://a.example', 'internal', 'https://b.example']), [
    'https://a.example',
    'https://b.example',
  ])
})

t.test('a server that the world can reach needs access control and a name of its own', async t => {
  const bind = (options: Record<string, unknown>) => assertBind('0.0.0.0', readOptions(options))

  t.throws(() => bind({}), ConfigError)
  t.throws(() => bind({ jwt: { secret: JWT_SECRET } }), ConfigError)
  t.doesNotThrow(() => bind({ jwt: { secret: JWT_SECRET }, publicUrl: 'https://x.example/mcp' }))
})

t.test('where the port is not known before, no token could name the server', async t => {
  const bind = (options: Record<string, unknown>) => assertBind('127.0.0.1', readOptions({ port: 0, ...options }))

  t.throws(() => bind({ jwt: { secret: JWT_SECRET } }), /^PUBLIC_URL: expected/)
  t.doesNotThrow(() => bind({ jwt: { secret: JWT_SECRET, audience: 'api' } }))
  t.doesNotThrow(() => bind({}))
})

t.test('a server that listens on another port than tokens name says so', async t => {
  const app = await build(t, { jwt: { secret: JWT_SECRET } })

  await app.listen({ port: 0 })

  t.match(
    app.logs.lines.filter(({ level }) => level === 40),
    [{ port: 0, resource: 'http://127.0.0.1:3000/mcp', msg: /publicUrl/ }],
  )
})

t.test('only loopback is bound unless everyone may call', async t => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost', 'LOCALHOST'])
    t.doesNotThrow(() => assertBind(host, readEnvironment({})), host)
  for (const host of [
    '0.0.0.0',
    '::',
    '',
    '10.0.0.1',
    '::ffff:10.0.0.1',
    'localhost.example',
    '127.0.0.1.example',
    '1',
  ]) {
    t.throws(() => assertBind(host, readEnvironment({})), ConfigError, host)
    t.doesNotThrow(() => assertBind(host, readEnvironment({ ALLOW_ANONYMOUS: 'true' })), host)
  }
})
