// ISSUERS_FILE: several issuers, each with keys, audience, rules and claims of its own; the file is
// watched.
import { rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError, createServer, defineTool } from '../../../../src/index.ts'
import { type App, build, call, type Logs, stream } from '../../../../test/support/app.ts'
import { AUDIENCE, type Issuer, keyIssuers, SECRET } from '../../../../test/support/auth/forge.ts'
import { type IssuerServer, issuerServer, publish, tokenOf } from '../../../../test/support/auth/issuer-server.ts'
import { signed } from '../../../../test/support/auth/tokens.ts'
import { until } from '../../../../test/support/eventually.ts'
import { merged } from '../../../../test/support/merged.ts'

const [rs, , es] = keyIssuers() as [Issuer, Issuer, Issuer]

const who = defineTool({ name: 'who', handler: (_args, { caller }) => JSON.stringify(caller) })

interface Rack {
  readonly server: IssuerServer
  readonly file: string
  readonly a: string
  readonly b: string
  write(...issuers: object[]): void
}

async function rack(t: Test): Promise<Rack> {
  const server = await issuerServer(t)
  const file = join(t.testdir({}), 'issuers.json')
  const write = (...issuers: object[]) => writeFileSync(file, JSON.stringify({ issuers }))
  return { server, file, write, a: publish(server, [rs], '/a'), b: publish(server, [es], '/b') }
}

const start = (t: Test, issuersFile: string, options: object = {}): Promise<App> =>
  build(t, merged({ issuersFile, tools: [who], rateLimit: { max: 1_000_000 } }, options))

async function send(app: App, headers: Record<string, string>) {
  const reply = await call(app, 'tools/call', { name: 'who', arguments: {} }, { headers })
  return {
    status: reply.status,
    caller: reply.result && JSON.parse(reply.result.content[0].text),
    headers: reply.headers,
  }
}
const statusOf = async (app: App, headers: Record<string, string>) => (await send(app, headers)).status
const readyOf = async (app: App) => (await app.inject('/ready')).json()
const linesOf = ({ lines }: Logs, msg: RegExp) => lines.filter(line => msg.test(line.msg))

t.test('B45: each issuer has rules of its own, and no other', async t => {
  const { a, b, file, write } = await rack(t)
  write(
    { issuer: a, audience: 'for-a', claims: 'tenant=org', scopeClaims: 'roles=role:', requiredClaims: 'org=acme*' },
    { issuer: b, clientIds: ['app'], scopePrefix: 'api://x/' },
  )
  const app = await start(t, file)
  const ofA = { aud: 'for-a', org: 'acme-eu', roles: ['admin'], scope: 'read' }

  t.match(await send(app, tokenOf(rs, a, ofA)), {
    status: 200,
    caller: { issuer: a, subject: 'alice', scopes: ['role:admin'], claims: { tenant: 'acme-eu' } },
  })
  t.match(await send(app, tokenOf(es, b, { scope: 'api://x/read' })), {
    status: 200,
    caller: { issuer: b, subject: 'alice', scopes: ['read'], claims: undefined },
  })
  const denied = {
    'the audience of the other': tokenOf(rs, a, { ...ofA, aud: AUDIENCE }),
    'the audience of the first': tokenOf(es, b, { aud: 'for-a' }),
    'a claim with another value': tokenOf(rs, a, { ...ofA, org: 'evil' }),
    'another client': tokenOf(es, b, { client_id: 'other' }),
    'the key of the other': tokenOf(es, a, ofA),
    'the key of the first': tokenOf(rs, b),
    'an issuer that is not there': tokenOf(rs, `${a}x`),
    'no issuer': tokenOf(rs, undefined as never),
    'two issuers': tokenOf(rs, [a, b] as never),
  }
  for (const [what, headers] of Object.entries(denied)) t.equal(await statusOf(app, headers), 401, what)
})

t.test('several issuers of one entry, without shared keys: each signs for itself', async t => {
  const { a, b, file, write } = await rack(t)
  write({ issuer: [a, b] })
  const app = await start(t, file)

  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  t.equal(await statusOf(app, tokenOf(es, b)), 200)
  t.equal(await statusOf(app, tokenOf(rs, b)), 401, 'the key of the first')
  t.equal(await statusOf(app, tokenOf(es, a)), 401, 'the key of the second')
})

t.test('the flat settings are one more issuer', async t => {
  const { a, file, write } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file, { jwt: { secret: SECRET, issuer: 'internal' } })
  const internal = (over = {}) => ({
    authorization: `Bearer ${signed(SECRET, { iss: 'internal', aud: AUDIENCE, ...over })}`,
  })

  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  t.equal(await statusOf(app, internal()), 200)
  t.equal(await statusOf(app, internal({ iss: a })), 401, 'the secret signs for nobody else')
  t.equal(await statusOf(app, internal({ iss: undefined })), 401)
})

t.test('a change of the file counts without a restart: for tokens, metadata and streams', async t => {
  const { a, b, file, write, server } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)
  const servers = async () =>
    (await app.inject('/.well-known/oauth-protected-resource/mcp')).json().authorization_servers
  const tokens = { a: tokenOf(rs, a), b: tokenOf(es, b) }
  t.equal(await statusOf(app, tokens.a), 200)
  t.equal(await statusOf(app, tokens.b), 401)
  t.strictSame(await servers(), [a])
  const fetches = server.asked.length

  write({ issuer: a }, { issuer: b })
  await until(async () => (await statusOf(app, tokens.b)) === 200, 'the new one')
  t.equal(await statusOf(app, tokens.a), 200)
  t.strictSame(await servers(), [a, b])
  t.notOk(
    server.asked.slice(fetches).some(({ path }) => path.startsWith('/a')),
    'what is the same keeps its keys',
  )

  await app.listen({ port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
  const params = { notifications: { toolsListChanged: true } }
  const listening = await stream(t, url, 'subscriptions/listen', params, { headers: tokens.a })
  t.equal(listening.status, 200)
  write({ issuer: b })
  await until(async () => (await statusOf(app, tokens.a)) === 401, 'the one that is gone, though remembered')
  t.equal(await statusOf(app, tokens.b), 200)
  t.strictSame(await servers(), [b])
  await listening.ended
})

t.test('a stream ends if the rules that let its caller in are others now, and stays if they are the same', async t => {
  const { a, b, file, write } = await rack(t)
  write({ issuer: a }, { issuer: b })
  const app = await start(t, file)
  await app.listen({ port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
  const params = { notifications: { toolsListChanged: true } }
  const open = (headers: Record<string, string>) => stream(t, url, 'subscriptions/listen', params, { headers })
  const [ofA, ofB] = [await open(tokenOf(rs, a)), await open(tokenOf(es, b))]
  let hasEnded = false
  void ofB.ended.then(() => (hasEnded = true))

  write({ issuer: a, requiredClaims: 'org=acme' }, { issuer: b })

  await ofA.ended
  t.equal(await statusOf(app, tokenOf(rs, a)), 401)
  app.toolrack.add(defineTool({ name: 'later', handler: () => '' }))
  await ofB.next(1)
  t.notOk(hasEnded)
})

t.test('B45: a file that is not valid any more: the issuers before stay, and /ready says why', async t => {
  const { a, file, write } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)
  const degraded = (said: RegExp) =>
    until(async () => said.test(String((await readyOf(app)).degraded)), `degraded: ${said}`)

  writeFileSync(file, '{"issuers":[')
  await degraded(/^issuersFile: expected JSON/)
  t.equal((await readyOf(app)).status, 'ready')
  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  rmSync(file)
  await degraded(/^issuersFile: expected the path of a file/)
  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  write({ issuer: a, audince: 'x' })
  await degraded(/issuers\[0\]: "audince" is not known; did you mean audience\?; those known before stay/)

  write({ issuer: a })
  await until(async () => (await readyOf(app)).degraded === undefined, 'all is well')
  t.equal(linesOf(app.logs, /could not read the issuers/).length, 3)
})

t.test('reload reads the file at once', async t => {
  const { a, b, file, write } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)
  write({ issuer: a }, { issuer: b })

  await app.toolrack.reload()

  t.equal(await statusOf(app, tokenOf(es, b)), 200)
})

t.test('a rule that changes while the issuer is away: its keys stay', async t => {
  const { a, file, write, server } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)
  t.equal(await statusOf(app, tokenOf(rs, a)), 200)
  server.paths['/a/jwks'] = (_asked, response) => response.writeHead(500).end()

  write({ issuer: a, requiredClaims: 'org=acme' })
  await app.toolrack.reload()

  t.equal(await statusOf(app, tokenOf(rs, a, { org: 'acme' })), 200)
  t.equal(await statusOf(app, tokenOf(rs, a)), 401, 'by the new rule, though it was remembered')
})

t.test('an issuer that has no keys yet, in place of one that had: the server stays ready', async t => {
  const { a, file, write, server } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)

  write({ issuer: `${server.origin}/away` })
  await app.toolrack.reload()

  t.match(await readyOf(app), { status: 'ready', degraded: [/away: no metadata of the issuer/] })
})

t.test('a file that is written again, and says the same, asks nobody again', async t => {
  const { a, file, write, server } = await rack(t)
  write({ issuer: a })
  const app = await start(t, file)
  const { length } = server.asked

  for (let at = 0; at < 100; at++) {
    write({ issuer: a })
    await app.toolrack.reload()
  }

  t.equal(server.asked.length, length)
})

t.test('what the console and the OpenAPI document name, and the scopes to ask for, follow the file', async t => {
  const { a, file, write } = await rack(t)
  const other = await issuerServer(t)
  const scoped = defineTool({ name: 'read', scopes: ['read'], annotations: { readOnlyHint: true }, handler: () => '' })
  const openApi = async (headers: Record<string, string>) =>
    JSON.stringify((await app.inject({ url: '/openapi.json', headers })).json().components.securitySchemes)
  write({ issuer: a, scopePrefix: 'api://a/' })
  const app = await start(t, file, { console: true, tools: [scoped] })
  const policy = async () => (await app.inject('/console/config.json')).headers['content-security-policy']
  const scopes = async () => (await app.inject('/.well-known/oauth-protected-resource')).json().scopes_supported
  t.notMatch(await policy(), other.origin)
  t.strictSame(await scopes(), ['api://a/read'])
  t.match(await openApi(tokenOf(rs, a)), a)

  write({ issuer: publish(other, [es]), scopePrefix: 'api://b/' })
  await app.toolrack.reload()

  t.match(await policy(), other.origin)
  t.strictSame(await scopes(), ['api://b/read'])
  t.match(await openApi(tokenOf(es, other.origin)), other.origin)
})

t.test('metadata comes and goes with the issuers at which people sign in', async t => {
  const { a, file, write } = await rack(t)
  const jobs = { issuer: 'https://oidc.vercel.com', jwksUrl: `${a}/jwks`, requiredClaims: { owner: 'acme' } }
  const metadata = (app: App) => app.inject('/.well-known/oauth-protected-resource')
  const challenge = async (app: App) => (await send(app, {})).headers['www-authenticate']
  write(jobs)
  const app = await start(t, file)
  t.equal((await metadata(app)).statusCode, 404)
  t.equal(await challenge(app), 'Bearer realm="toolrack"')

  write(jobs, { issuer: a })
  await app.toolrack.reload()
  t.strictSame((await metadata(app)).json().authorization_servers, [a])
  t.match(await challenge(app), /^Bearer resource_metadata="http/)

  write(jobs)
  await app.toolrack.reload()
  t.equal((await metadata(app)).statusCode, 404)
  t.equal(await challenge(app), 'Bearer realm="toolrack"')
})

const GOOD = { issuer: 'https://as.example' }
const FORM = { clientId: 'x', clientSecretFile: '/run/secrets/x' }
const FAULTS: readonly (readonly [unknown, RegExp])[] = [
  ['', /expected JSON/],
  ['{}', /expected an object with the array "issuers"/],
  ['[]', /expected an object with the array "issuers"/],
  ['{"issuers":[]}', /of 1 to 100 entries/],
  [{ issuers: [GOOD], version: 1 }, /"version" is not known/],
  [[7], /issuers\[0\]: expected an object/],
  [[{}], /issuers\[0\]: issuer: expected the iss of its tokens/],
  [[{ issuer: 'as.example' }], /issuers\[0\]: issuer: expected jwksUrl beside it/],
  [[{ issuer: 'http://as.example' }], /issuer: expected jwksUrl beside it/],
  [[{ ...GOOD, jwksUrl: 'http://as.example/jwks' }], /jwksUrl: expected an https URL/],
  [[{ ...GOOD, secret: 'x'.repeat(32) }], /"secret" is not known/],
  [[{ ...GOOD, Audience: 'x' }], /did you mean audience\?/],
  [[{ ...GOOD, algorithms: ['HS256'] }], /algorithms: expected no HS256/],
  [[{ ...GOOD, audienceOptional: true }], /audienceOptional: expected clientIds or requiredClaims beside it/],
  [[{ ...GOOD, requiredClaims: { a: '*' } }], /requiredClaims: expected values of a/],
  [[{ ...GOOD, accessTokens: 7 }], /accessTokens: expected an object such as/],
  [[GOOD, GOOD], /expected each issuer once; https:\/\/as.example is there twice/],
  [
    [{ issuer: 'https://token.actions.githubusercontent.com' }],
    /requiredClaims: expected such as repository_owner=acme/,
  ],
  [
    [{ issuer: 'https://token.actions.githubusercontent.com', requiredClaims: { ref: 'refs/heads/main' } }],
    /requiredClaims: expected such as repository_owner=acme/,
  ],
  [[{ ...GOOD, introspection: {} }], /introspection: expected clientId and clientSecretFile/],
  [
    [{ ...GOOD, introspection: { ...FORM, form: 'other' } }],
    /introspection: form: expected one of rfc7662, github, google/,
  ],
  [[{ ...GOOD, introspection: { ...FORM, url: 'http://as.example' } }], /introspection: url: expected an https URL/],
  [
    [{ ...GOOD, jwksUrl: 'https://as.example/jwks', introspection: FORM }],
    /introspection: expected one issuer beside it, and no jwksUrl/,
  ],
  [
    [
      { ...GOOD, introspection: FORM },
      { issuer: 'https://b.example', introspection: FORM },
    ],
    /expected a tokenPrefix in each introspection/,
  ],
  [
    [
      { ...GOOD, introspection: { ...FORM, tokenPrefix: 'ab' } },
      { issuer: 'https://b.example', introspection: { ...FORM, tokenPrefix: 'a' } },
    ],
    /none that begins with another/,
  ],
]

for (const [content, message] of FAULTS) {
  const text =
    typeof content === 'string' ? content : JSON.stringify(Array.isArray(content) ? { issuers: content } : content)
  t.test(`refused: ${text.slice(0, 90)}`, async t => {
    const issuersFile = join(t.testdir({ 'issuers.json': text }), 'issuers.json')

    await t.rejects(createServer({ issuersFile }), ConfigError)
    await t.rejects(createServer({ issuersFile }), { message: /^issuersFile: / })
    await t.rejects(createServer({ issuersFile }), { message })
  })
}

t.test('beside a secret without an issuer, nobody could say whose a token is', async t => {
  const { a, file, write } = await rack(t)
  write({ issuer: a })

  await t.rejects(createServer({ issuersFile: file, jwt: { secret: SECRET } }), {
    message: /^jwt\.issuer: .*beside issuersFile/,
  })
})
