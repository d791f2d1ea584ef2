// Clients whose id is the URL of their metadata: what is fetched, from where, and what of it
// counts. draft-ietf-oauth-client-id-metadata-document, 4 and 6 (SSRF); specification 2026-07-28:
// basic/authorization.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { LIMITS } from '../../src/limits.ts'
import { ask, exchange, payloadOf, REDIRECT, startBroker } from '../support/broker.ts'
import { leftFor, shownIn } from '../support/browser.ts'
import { documentHost } from '../support/document-host.ts'

const host = await documentHost(t)
const settings = { NODE_EXTRA_CA_CERTS: host.certificate, PRIVATE_CLIENT_HOSTS: host.host, TRUST_PROXY: '127.0.0.1' }
const broker = await startBroker(t, settings)

/** A document at a path of its own. @returns its URL, the client id */
function publish(
  changes: object = {},
  {
    path = `/${randomUUID()}/client.json`,
    ...rest
  }: Record<string, never> | { path?: string; status?: number; headers?: Record<string, string>; body?: string } = {},
): string {
  const clientId = `${host.origin}${path}`
  const document = {
    client_id: clientId,
    client_name: 'Documented client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  }
  host.documents.set(path, { body: document, ...rest })
  return clientId
}

t.test('a client comes without registration, and the page says who vouches for its name', async t => {
  const clientId = publish()
  const browser = broker.browser()
  const { url, verifier } = ask(broker, clientId)
  const page = shownIn(await browser.go(url))

  t.match(page.html, 'Documented client')
  t.match(page.html, host.host)
  const code = leftFor(await browser.authorize(url, { account: 'alice' })).get('code')!
  const { body } = await exchange(broker, clientId, code, verifier)
  t.match(payloadOf(body.access_token), { client_id: clientId, sub: 'alice' })
  t.equal(host.asked.filter(line => clientId.endsWith(line.slice('GET '.length))).length, 1, 'fetched once, and kept')
})

t.test('whoever asks for many documents keeps those of others from nobody', async t => {
  const flooded = await startBroker(t, settings)
  const from = (address: string, clientId: string) =>
    fetch(ask(flooded, clientId).url, { redirect: 'manual', headers: { 'x-forwarded-for': address } })
  const nowhere = Array.from({ length: 3 * LIMITS.fetch }, (_, at) => `${host.origin}/nowhere/${at}`)
  const before = host.asked.length
  await Promise.all(nowhere.map(clientId => from('203.0.113.1', clientId)))

  t.equal(host.asked.length - before, LIMITS.fetch)
  t.equal((await from('203.0.113.2', publish())).status, 303, 'another address is served')
})

t.test('a document without a method is one of a public client', async t => {
  const { url } = ask(broker, publish({ token_endpoint_auth_method: undefined }))

  t.equal(shownIn(await broker.browser().go(url)).status, 200)
})

t.test('a client can prove itself with a key that its own host publishes', async t => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }
  host.documents.set('/keys', { body: { keys: [key] } })
  const clientId = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${host.origin}/keys` })
  const { url, verifier } = ask(broker, clientId)
  const sign = (by: KeyObject, end = '1m') =>
    new SignJWT({ iss: clientId, sub: clientId, aud: broker.url, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuedAt()
      .setExpirationTime(end)
      .sign(by)
  const withAssertion = async (code: string, by: KeyObject, end?: string) =>
    exchange(broker, clientId, code, verifier, {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await sign(by, end),
    })
  const code = leftFor(await broker.browser().authorize(url, { account: 'alice' })).get('code')!

  t.match(await exchange(broker, clientId, code, verifier), { status: 401 }, 'without the key')
  t.match(await withAssertion(code, privateKey, '1 year'), { status: 401 }, 'it would be remembered for a year')
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  t.match(await withAssertion(code, other), { status: 401 }, 'with another key')
  t.match(await withAssertion(code, privateKey), { status: 200, body: { access_token: /./ } })
})

t.test('documents that are not right are not taken, and nothing that they name is fetched', async t => {
  const before = host.asked.length
  const long = 'x'.repeat(6000)
  const refused: [what: string, clientId: string][] = [
    ['another client id', publish({ client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata' })],
    ['a secret', publish({ token_endpoint_auth_method: 'client_secret_post' })],
    ['a secret in the open', publish({ client_secret: 'secret' })],
    ['no redirect URI', publish({ redirect_uris: [] })],
    ['a redirect URI of plain HTTP', publish({ redirect_uris: ['http://client.example/'] })],
    [
      'keys of another host',
      publish({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://evil.example/k' }),
    ],
    ['no code flow', publish({ grant_types: ['client_credentials'] })],
    ['too much', publish({ client_uri: `https://client.example/${long}` })],
    ['no JSON', publish({}, { body: '<html>' })],
    ['a list', publish({}, { body: '[]' })],
    ['404', `${host.origin}/missing`],
    ['a redirect', publish({}, { status: 302, headers: { location: `${host.origin}/elsewhere` }, body: '' })],
  ]
  for (const [what, clientId] of refused) {
    const page = shownIn(
      await broker.browser().go(ask(broker, clientId).url, undefined, { 'x-forwarded-for': '198.51.100.9' }),
    )
    t.equal(page.status >= 400 && page.status < 500, true, `${what}: ${page.status}`)
  }
  t.equal(host.asked.length - before, refused.length, 'each document was fetched, and nothing else')
})

t.test('what a document names beside its metadata is never fetched', async t => {
  const before = host.asked.length
  const clientId = publish({
    logo_uri: `${host.origin}/logo.png`,
    policy_uri: `${host.origin}/policy`,
    jwks_uri: `${host.origin}/keys-of-a-public-client`,
    sector_identifier_uri: `${host.origin}/sector`,
    client_uri: `${host.origin}/`,
  })
  const { url, verifier } = ask(broker, clientId)
  const code = leftFor(await broker.browser().authorize(url, { account: 'alice' })).get('code')!
  t.equal((await exchange(broker, clientId, code, verifier)).status, 200)

  t.equal(host.asked.length - before, 1)
})

t.test('no document is fetched from an address that is not public', async t => {
  const strict = await startBroker(t, { NODE_EXTRA_CA_CERTS: host.certificate })
  const { port } = new URL(host.origin)
  const before = host.connections()
  for (const clientId of [
    `https://127.0.0.1:${port}/client.json`,
    `https://localhost:${port}/client.json`,
    `https://localhost.:${port}/client.json`,
    `https://[::1]:${port}/client.json`,
    `https://[::ffff:127.0.0.1]:${port}/client.json`,
    `https://2130706433:${port}/client.json`,
    `https://0x7f.1:${port}/client.json`,
    `https://0.0.0.0:${port}/client.json`,
    'https://10.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/client.json',
    'https://[64:ff9b::7f00:1]/client.json',
    'https://168.63.129.16/client.json',
  ]) {
    const page = shownIn(await strict.browser().go(ask(strict, clientId).url))
    t.match(page, { status: 400 }, clientId)
  }
  t.equal(host.connections() - before, 0, 'nobody was connected to')
})

t.test('plain HTTP, user names, fragments and dots are no client ids', async t => {
  const before = host.connections()
  const { port } = new URL(host.origin)
  for (const clientId of [
    `http://127.0.0.1:${port}/client.json`,
    `https://user:word@127.0.0.1:${port}/client.json`,
    `https://127.0.0.1:${port}/client.json#part`,
    `https://127.0.0.1:${port}/a/../client.json`,
    `file:///etc/passwd`,
  ])
    t.match(shownIn(await broker.browser().go(ask(broker, clientId).url)), { status: 400 }, clientId)
  t.equal(host.connections() - before, 0)
})

t.test('with REDIRECT_HOSTS, documents of other hosts are not fetched', async t => {
  const strict = await startBroker(t, { ...settings, REDIRECT_HOSTS: 'claude.ai' })
  const before = host.connections()

  t.match(shownIn(await strict.browser().go(ask(strict, publish()).url)), { status: 400 })
  t.equal(host.connections() - before, 0)
})
