// Settings of access control that do not fit together stop the start, rather than leave a server open.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { assertBind, getAuthorizationServers, getIssuerSpecs } from '../../../src/config/access.ts'
import { getResourceUri } from '../../../src/config/public-url.ts'
import { readOptions } from '../../../src/config/read-options.ts'
import { ConfigError, readEnvironment } from '../../../src/config/settings.ts'
import { createServer } from '../../../src/index.ts'
import { build } from '../../support/app.ts'

const JWT_SECRET = 'x'.repeat(32)
const JWT_JWKS_URL = 'https://as.example/jwks'
const JWT_ISSUER = 'https://as.example'
const FROM_ISSUER = { jwtJwksUrl: JWT_JWKS_URL, jwtIssuer: JWT_ISSUER }
const refused = (options: object, message: RegExp) =>
  t.test(`refused: ${JSON.stringify(Object.keys(options))} ${message}`, async t => {
    await t.rejects(createServer(options), ConfigError)
    await t.rejects(createServer(options), { message })
  })

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string

refused({ jwtSecret: JWT_SECRET, jwtJwksUrl: JWT_JWKS_URL, jwtIssuer: JWT_ISSUER }, /^jwtSecret: .*jwtJwksUrl/)
refused({ jwtJwksUrl: JWT_JWKS_URL }, /^jwtIssuer: .*jwtJwksUrl/)
refused({ jwtIssuer: 'as.example' }, /^jwtIssuer: expected jwtJwksUrl beside it, or the https URL/)
refused({ jwtIssuer: 'http://as.example' }, /^jwtIssuer: expected jwtJwksUrl beside it, or the https URL/)
refused({ jwtAudience: 'api' }, /^jwtAudience: .*jwtSecret or jwtJwksUrl/)
refused({ jwtClientIds: 'app' }, /^jwtClientIds: .*jwtSecret or jwtJwksUrl/)
refused({ jwtScopeClaims: 'scope' }, /^jwtScopeClaims: .*jwtSecret or jwtJwksUrl/)
refused({ jwtScopePrefix: 'api://x/' }, /^jwtScopePrefix: .*jwtSecret or jwtJwksUrl/)
refused({ jwtAlgorithms: 'RS256' }, /^jwtAlgorithms: .*jwtSecret or jwtJwksUrl/)
refused({ jwtSecret: JWT_SECRET, jwtAlgorithms: 'RS256' }, /^jwtAlgorithms: expected HS256 alone/)
refused({ jwtSecret: JWT_SECRET, jwtAlgorithms: 'HS256,RS256' }, /^jwtAlgorithms: expected HS256 alone/)
refused({ ...FROM_ISSUER, jwtAlgorithms: 'RS256,HS256' }, /^jwtAlgorithms: expected no HS256/)
refused({ ...FROM_ISSUER, jwtAlgorithms: 'HS512' }, /^jwtAlgorithms: expected one or more of HS256, RS256, .*EdDSA/)
refused({ ...FROM_ISSUER, jwtIssuer: 'https://accounts.google.com' }, /^jwtClientIds: .*service accounts/)
refused(
  { ...FROM_ISSUER, jwtIssuer: ['accounts.google.com'], jwtClientIds: '1042,9-x.apps.googleusercontent.com' },
  /^jwtClientIds: .*service accounts/,
)
refused({ jwtClaims: 'tenant=tid' }, /^jwtClaims: .*jwtSecret or jwtJwksUrl/)
refused({ jwtSecret: 'x'.repeat(31) }, /^jwtSecret: .*32 bytes/)
refused({ jwtSecret: pem }, /^jwtSecret: .*shared secret/)
refused({ jwtSecret: `  ${pem.trim()}` }, /^jwtSecret: .*shared secret/)
refused({ jwtSecret: JSON.stringify(publicKey.export({ format: 'jwk' })) }, /^jwtSecret: .*shared secret/)
refused({ jwtJwksUrl: 'http://as.example/jwks', jwtIssuer: JWT_ISSUER }, /^jwtJwksUrl: .*https/)
refused({ jwtJwksUrl: 'http://localhost.evil.example/jwks', jwtIssuer: JWT_ISSUER }, /^jwtJwksUrl: .*https/)
refused({ jwtJwksUrl: 'http://127.0.0.1.evil.example/jwks', jwtIssuer: JWT_ISSUER }, /^jwtJwksUrl: .*https/)

const exchange = { tokenExchangeClientId: 'tools', tokenExchangeClientSecret: 'x'.repeat(16) }
const jwks = { jwtJwksUrl: JWT_JWKS_URL, jwtIssuer: JWT_ISSUER }
refused({ ...jwks, tokenExchangeUrl: 'https://as.example/token' }, /^tokenExchangeUrl: .*tokenExchangeClientId/)
refused({ ...jwks, tokenExchangeClientSecret: 'x'.repeat(16) }, /^tokenExchangeClientSecret: .*tokenExchangeClientId/)
refused({ ...jwks, tokenExchangeGrant: 'jwt-bearer' }, /^tokenExchangeGrant: .*tokenExchangeClientId/)
refused({ ...jwks, tokenExchangeClientId: 'tools' }, /^tokenExchangeClientId: .*tokenExchangeClientSecret/)
refused(exchange, /^tokenExchangeClientId: .*jwtJwksUrl/)
refused({ ...exchange, tokenExchangeUrl: 'https://as.example/token' }, /^tokenExchangeClientId: .*jwtJwksUrl/)
refused({ ...exchange, jwtSecret: JWT_SECRET }, /^tokenExchangeUrl: .*jwtIssuer/)
refused({ ...exchange, jwtSecret: JWT_SECRET, jwtIssuer: 'internal' }, /^tokenExchangeUrl: .*jwtIssuer/)
refused({ ...exchange, jwtSecret: JWT_SECRET, jwtIssuer: 'https://a.example,https://b.example' }, /^tokenExchangeUrl: /)
refused({ ...exchange, jwtSecret: JWT_SECRET, jwtIssuer: 'http://as.example' }, /^tokenExchangeUrl: .*jwtIssuer/)
refused({ ...exchange, ...jwks, tokenExchangeUrl: 'http://as.example/token' }, /^tokenExchangeUrl: .*https/)

t.test('tokens are exchanged where a client is set, and an endpoint is set or can be found', async t => {
  t.doesNotThrow(() => readOptions({ ...exchange, ...jwks }))
  t.doesNotThrow(() => readOptions({ ...exchange, jwtSecret: JWT_SECRET, jwtIssuer: 'http://127.0.0.1:8080/realm' }))
  const tokenExchangeUrl = 'https://as.example/token'
  t.doesNotThrow(() => readOptions({ ...exchange, jwtSecret: JWT_SECRET, tokenExchangeUrl }))
})

t.test('no message holds a secret', async t => {
  await t.rejects(createServer({ jwtSecret: pem }), { message: /^(?!.*MII)/s })
})

t.test('the audience is what was set, else the public URL letter for letter, else where it listens', async t => {
  const audienceOf = (options: object) =>
    getIssuerSpecs(readOptions({ jwtSecret: JWT_SECRET, ...options }))[0]!.rules.audiences.join()

  t.equal(audienceOf({ jwtAudience: 'api', publicUrl: 'https://x.example/mcp' }), 'api')
  t.equal(audienceOf({ publicUrl: 'https://X.example:443/mcp' }), 'https://X.example:443/mcp')
  t.equal(audienceOf({ host: '::1', port: 8080 }), 'http://[::1]:8080/mcp')
  t.equal(getResourceUri(readOptions({})), 'http://127.0.0.1:3000/mcp')
})

t.test('JWT_ALGORITHMS: what keys can do is taken', async t => {
  t.strictSame(readOptions({ jwtSecret: JWT_SECRET, jwtAlgorithms: 'HS256' }).jwtAlgorithms, ['HS256'])
  t.strictSame(readOptions({ ...FROM_ISSUER, jwtAlgorithms: 'ES256, RS256,ES256' }).jwtAlgorithms, ['ES256', 'RS256'])
  t.doesNotThrow(() => readOptions({ ...FROM_ISSUER, jwtIssuer: 'https://accounts.google.com', jwtClientIds: '1042' }))
})

t.test('the issuer is where clients get tokens, unless others are named, or it is no URL', async t => {
  const serversOf = (options: object) => getAuthorizationServers(readOptions({ jwtSecret: JWT_SECRET, ...options }))

  t.strictSame(serversOf({ jwtIssuer: JWT_ISSUER }), [JWT_ISSUER])
  t.strictSame(serversOf({ jwtIssuer: JWT_ISSUER, authorizationServers: 'https://b.example' }), ['https://b.example'])
  t.strictSame(serversOf({ jwtIssuer: 'internal' }), [])
  t.strictSame(serversOf({ jwtIssuer: 'https://a.example,internal, https://b.example' }), [
    'https://a.example',
    'https://b.example',
  ])
})

t.test('a server that the world can reach needs access control and a name of its own', async t => {
  const bind = (options: Record<string, unknown>) => assertBind('0.0.0.0', readOptions(options))

  t.throws(() => bind({}), ConfigError)
  t.throws(() => bind({ jwtSecret: JWT_SECRET }), ConfigError)
  t.doesNotThrow(() => bind({ jwtSecret: JWT_SECRET, publicUrl: 'https://x.example/mcp' }))
})

t.test('where the port is not known before, no token could name the server', async t => {
  const bind = (options: Record<string, unknown>) => assertBind('127.0.0.1', readOptions({ port: 0, ...options }))

  t.throws(() => bind({ jwtSecret: JWT_SECRET }), /^PUBLIC_URL: expected/)
  t.doesNotThrow(() => bind({ jwtSecret: JWT_SECRET, jwtAudience: 'api' }))
  t.doesNotThrow(() => bind({}))
})

t.test('a server that listens on another port than tokens name says so', async t => {
  const app = await build(t, { jwtSecret: JWT_SECRET })

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
