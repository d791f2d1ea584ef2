// Tokens and key sets in the shape of each identity provider, on a server with the settings of its
// section in docs/guides/identity-providers.md or docs/guides/workloads.md: its access tokens are let in, and nothing else that it
// signs, or that is forged.
import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readEnvironment } from '../../../../packages/environment/src/read.ts'
import { defineTool } from '../../../../src/index.ts'
import { type App, build, call } from '../../../../test/support/app.ts'
import { compact, signatureOf } from '../../../../test/support/auth/forge.ts'
import { giveNothingUp } from '../../../../test/support/auth/jwks-rack.ts'
import { jwksServer, keys } from '../../../../test/support/auth/jwks-server.ts'
import { PROVIDERS } from '../../../../test/support/auth/providers/index.ts'
import {
  createForeign,
  type Provider,
  RESOURCE,
  sign,
  type Token,
  withClaims,
} from '../../../../test/support/auth/providers/provider.ts'
import { settingsAsOptions } from '../../../../test/support/settings-as-options.ts'

const who = defineTool({ name: 'who', handler: (_args, { caller }) => JSON.stringify(caller) })

/** A server as the documentation starts it, but for the address of the keys. */
async function start(t: Test, { settings = {}, entry, jwks }: Provider): Promise<App> {
  giveNothingUp(t)
  const server = await jwksServer(keys(...jwks))
  t.teardown(() => server.close())
  const { JWT_JWKS_URL, ...rest } = settings
  for (const documented of [JWT_JWKS_URL, entry?.['jwksUrl']])
    if (documented !== undefined)
      t.match(documented, /^https:\/\/[a-z0-9./-]+[a-z0-9./_@-]*$/i, 'nothing is left to fill in')
  const environment =
    entry === undefined
      ? { ...rest, JWT_JWKS_URL: server.url }
      : { ISSUERS_FILE: writeIssuers(t, { ...entry, jwksUrl: server.url }) }
  return build(t, {
    ...settingsAsOptions(readEnvironment({ PUBLIC_URL: RESOURCE, ...environment })),
    logLevel: 'debug',
    tools: [who],
    rateLimit: { max: 1_000_000 },
  })
}

const writeIssuers = (t: Test, entry: object) =>
  join(t.testdir({ 'issuers.json': JSON.stringify({ issuers: [entry] }) }), 'issuers.json')

/** What an ID token has to look like to be for this server. */
function forgeIdTokens({ settings, entry, idToken }: Provider): Record<string, string> {
  if (idToken === undefined) return {}
  const audience = String(entry?.['audience'] ?? settings?.['JWT_AUDIENCE'] ?? RESOURCE)
    .split(',')
    .at(-1)!
  // The audience of an ID token is a client, which a URL of a server is not.
  const mayBeClient = !audience.includes('://')
  return {
    'an ID token': sign(idToken),
    ...(mayBeClient && { 'an ID token whose audience is this server': sign(withClaims(idToken, { aud: audience })) }),
    'an ID token for this server and its client': sign(
      withClaims(idToken, { aud: [audience, (idToken.payload as { aud: string }).aud].flat() }),
    ),
    'an ID token with a nonce': sign(withClaims(idToken, { aud: audience, nonce: 'n-0S6_WzA2Mj' })),
  }
}

async function send(app: App, token: string) {
  const { status, result, headers } = await call(
    app,
    'tools/call',
    { name: 'who', arguments: {} },
    { headers: { authorization: `Bearer ${token}` } },
  )
  return {
    status,
    caller: result && JSON.parse(result.content[0].text),
    challenge: String(headers['www-authenticate']),
  }
}

/** The token by keys, algorithms and signatures that are not its issuer's. */
function forge(token: Token): Record<string, string> {
  const { header, payload, key } = token
  const foreign = createForeign(key)
  const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }) as string
  const [head, body, signature] = sign(token).split('.') as [string, string, string]
  const altered = Buffer.from(JSON.stringify({ ...payload, sub: 'root' })).toString('base64url')
  return {
    'by a foreign key of the same id': sign({ ...token, key: { ...key, privateKey: foreign } }),
    'by a foreign key of another id': sign({
      ...token,
      header: { ...header, kid: 'mine' },
      key: { ...key, privateKey: foreign },
    }),
    'without a signature': compact({ ...header, alg: 'none' }, payload, () => ''),
    'by HMAC with the public key': compact({ ...header, alg: 'HS256' }, payload, input =>
      signatureOf('HS256', pem, input),
    ),
    'with another subject': `${head}.${altered}.${signature}`,
    'of half its signature': `${head}.${body}.${signature.slice(0, Math.floor(signature.length / 8) * 4)}`,
  }
}

for (const create of PROVIDERS) {
  const provider = create()
  const { name, accepted, refused } = provider

  t.test(`${name}: access tokens are let in, with their subject, client, scopes and claims`, async t => {
    const app = await start(t, provider)

    for (const [what, [token, expected]] of Object.entries(accepted)) {
      const { subject, clientId, scopes, claims } = expected
      const { status, caller, challenge } = await send(app, sign(token))
      t.equal(status, 200, `${what}: ${challenge}`)
      const { issuer, expiresAtMs: _, ...seen } = caller ?? {}
      t.strictSame(seen, { subject, ...(clientId && { clientId }), scopes, ...(claims && { claims }) }, what)
      t.equal(issuer, expected.issuer ?? (token.payload as { iss: string }).iss)
    }
  })

  t.test(`${name}: ID tokens, tokens for others and of others, and forged ones get 401`, async t => {
    const app = await start(t, provider)
    const denied = forgeIdTokens(provider)
    for (const [what, token] of Object.entries(refused)) denied[what] = sign(token)
    for (const [what, [token]] of Object.entries(accepted)) {
      for (const [how, forged] of Object.entries(forge(token))) denied[`${what}, ${how}`] = forged
      denied[`${what}, expired`] = sign(withClaims(token, { exp: 1 }))
      denied[`${what}, for somebody else`] = sign(withClaims(token, { aud: 'https://somebody.example/else' }))
    }

    for (const [what, token] of Object.entries(denied)) {
      const { status, challenge } = await send(app, token)
      t.equal(status, 401, what)
      t.match(challenge, /^Bearer error="invalid_token", error_description="/, what)
    }
  })
}
