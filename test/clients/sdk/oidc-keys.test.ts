// Tokens of a real issuer (oidc-provider) whose keys do not say their algorithm, for each type of key.
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import t, { type Test } from 'tap'
import { build } from '../../support/app.ts'
import { isServed } from '../../support/auth/attack-tokens.ts'
import { giveNothingUp } from '../../support/auth/jwks-rack.ts'
import { until } from '../../support/security/hostile.ts'
import { echoCall, recorder, send } from '../../support/security/probe.ts'

const RESOURCE = 'https://tools.example/mcp'
const CLIENT = { client_id: 'service', client_secret: 'the secret of a service' }

const KEYS = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: generateKeyPairSync('ed25519'),
}

const SIGNED: readonly (readonly [keyof typeof KEYS, string])[] = [
  ['RSA', 'RS256'],
  ['RSA', 'RS512'],
  ['RSA', 'PS256'],
  ['RSA', 'PS384'],
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['Ed25519', 'EdDSA'],
]

/** An issuer on loopback that gives tokens to a service. */
async function issuerOf(t: Test, kind: keyof typeof KEYS, alg: string): Promise<string> {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...KEYS[kind].privateKey.export({ format: 'jwk' }), kid: 'the-key', use: 'sig' }] },
    clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    clientDefaults: { id_token_signed_response_alg: alg },
    enabledJWA: { idTokenSigningAlgValues: [alg] },
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          audience,
          scope: 'read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  })
  const serve = provider.callback()
  // The provider itself adds the algorithm of an elliptic curve.
  const bare = { ...KEYS[kind].publicKey.export({ format: 'jwk' }), kid: 'the-key', use: 'sig' }
  server.on('request', (request, response) => {
    if (request.url !== '/bare-jwks') return void serve(request, response)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [bare] }))
  })
  return issuer
}

async function tokenOf(issuer: string): Promise<string> {
  const body = new URLSearchParams({ ...CLIENT, grant_type: 'client_credentials', resource: RESOURCE, scope: 'read' })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body })
  const { access_token: token, ...answer } = (await response.json()) as { access_token?: string }
  if (token === undefined) throw new Error(JSON.stringify(answer))
  return token
}

const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())

for (const [kind, alg] of SIGNED) {
  t.test(`a token by ${alg} of an issuer whose key (${kind}) names no algorithm is accepted`, async t => {
    giveNothingUp(t)
    const issuer = await issuerOf(t, kind, alg)
    const access = { jwt: { jwksUrl: `${issuer}/bare-jwks`, issuer }, publicUrl: RESOURCE }
    const app = await build(t, { tools: [recorder().tool], rateLimit: { max: 1_000_000 }, ...access })
    const token = await tokenOf(issuer)
    t.match(headerOf(token), { alg, kid: 'the-key' })
    const call = () => send(app, { body: echoCall({ message: 'x' }), headers: { authorization: `Bearer ${token}` } })

    // A start waits for 3 s, and a token for 80 ms: a busy machine may need longer.
    await until(async () => isServed(await call()), 'it was served')

    const [head, payload, signature] = token.split('.') as [string, string, string]
    const changed = payload.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
    const forged = await send(app, {
      body: echoCall({ message: 'x' }),
      headers: { authorization: `Bearer ${head}.${changed}.${signature}` },
    })
    t.equal(forged.status, 401)
  })
}
