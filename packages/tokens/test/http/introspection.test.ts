// Opaque tokens: the issuer is asked about each (RFC 7662), and what it does not say is not believed.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { type App, build, call } from '../../../../test/support/app.ts'
import { AUDIENCE, type Issuer, keyIssuers } from '../../../../test/support/auth/forge.ts'
import {
  type IssuerServer,
  issuerServer,
  OAUTH,
  sendJson,
  tokenOf,
} from '../../../../test/support/auth/issuer-server.ts'
import { nowS } from '../../../../test/support/auth/tokens.ts'
import { until } from '../../../../test/support/eventually.ts'
import { MAX_QUESTIONS } from '../../src/question-slots.ts'

const [rs] = keyIssuers() as [Issuer]

const who = defineTool({ name: 'who', handler: (_args, { caller }) => JSON.stringify(caller) })

const leak = defineTool({
  name: 'leak',
  handler() {
    throw new Error('was: the secret of this server')
  },
})

const ALICE = { active: true, sub: 'alice', client_id: 'app', scope: 'read write', aud: AUDIENCE }

interface Rack {
  readonly app: App
  readonly server: IssuerServer
  readonly issuer: string
  readonly secretFile: string
  /** What the issuer says of every token, or does. */
  answer: object | ((response: Parameters<typeof sendJson>[0]) => void)
}

type Unready = Pick<Rack, 'server' | 'issuer' | 'secretFile'> & { readonly issuersFile: string }

async function prepare(t: Test, row: object = {}, introspection: object = {}): Promise<Unready> {
  const server = await issuerServer(t)
  const folder = t.testdir({ secret: 'the secret of this server\n' })
  const issuer = server.origin
  const secretFile = join(folder, 'secret')
  const entry = {
    issuer,
    ...row,
    introspection: {
      url: `${issuer}/introspect`,
      clientId: 'mcp tools',
      clientSecretFile: secretFile,
      ...introspection,
    },
  }
  const issuersFile = join(folder, 'issuers.json')
  writeFileSync(issuersFile, JSON.stringify({ issuers: [entry] }))
  return { server, issuer, secretFile, issuersFile }
}

const startIn = (t: Test, { issuersFile }: Unready): Promise<App> =>
  build(t, { issuersFile, tools: [who, leak], rateLimit: { max: 1_000_000 } })

async function rack(t: Test, row: object = {}, introspection: object = {}): Promise<Rack> {
  const rig = await prepare(t, row, introspection)
  const { server, issuer } = rig
  const given: Pick<Rack, 'answer'> = { answer: ALICE }
  server.paths['/introspect'] = (_asked, response) => {
    if (typeof given.answer === 'function') given.answer(response)
    else sendJson(response, 200, given.answer)
  }
  server.paths[OAUTH('')] = { issuer, introspection_endpoint: `${issuer}/introspect` }
  const app = await startIn(t, rig)
  // What is asked at the start is about no token.
  server.asked.length = 0
  return Object.assign(given, { ...rig, app })
}

const opaque = (token = 'opaque-1') => ({ authorization: `Bearer ${token}` })

async function send(app: App, headers: Record<string, string> = opaque()) {
  const reply = await call(app, 'tools/call', { name: 'who', arguments: {} }, { headers })
  return { ...reply, caller: reply.result && JSON.parse(reply.result.content[0].text) }
}

t.test('an opaque token is asked about once in a minute, by the client that this server is', async t => {
  const { app, server, issuer } = await rack(t, { claims: { org: 'organization' } })
  server.paths['/introspect'] = { ...ALICE, organization: 'acme', exp: nowS() + 600 }

  const { status, caller } = await send(app)
  t.equal(status, 200)
  t.match(caller, { issuer, subject: 'alice', clientId: 'app', scopes: ['read', 'write'], claims: { org: 'acme' } })
  t.equal((await send(app)).status, 200)

  const [asked, ...more] = server.asked
  t.strictSame(more, [])
  t.strictSame(Object.fromEntries(new URLSearchParams(asked!.body)), {
    token: 'opaque-1',
    token_type_hint: 'access_token',
  })
  const basic = `Basic ${Buffer.from('mcp+tools:the+secret+of+this+server').toString('base64')}`
  t.equal(asked!.authorization, basic, 'encoded before they are joined (RFC 6749, 2.3.1)')

  const leaked = await call(app, 'tools/call', { name: 'leak', arguments: {} }, { headers: opaque() })
  t.equal(leaked.result.content[0].text, 'was: [secret]', 'the secret is masked')
})

t.test('a token is one, however its header is spelled', async t => {
  const { app, server } = await rack(t)

  for (const authorization of ['Bearer opaque-1', 'bearer opaque-1', 'BEARER   opaque-1', 'Bearer opaque-1 '])
    t.equal((await send(app, { authorization })).status, 200, authorization)

  t.equal(server.asked.length, 1)
})

const REFUSED: Record<string, object> = {
  'that does not count': { active: false },
  'of which it says nothing': {},
  'active as a text': { ...ALICE, active: 'true' },
  'for another server': { ...ALICE, aud: 'https://other.example' },
  'for nobody': { ...ALICE, aud: undefined },
  'of another issuer': { ...ALICE, iss: 'https://other.example' },
  'that has ended': { ...ALICE, exp: 1 },
  'that begins later': { ...ALICE, nbf: nowS() + 3600 },
  'of nobody': { ...ALICE, sub: undefined },
  'bound to a key': { ...ALICE, cnf: { jkt: 'x' } },
  'of DPoP': { ...ALICE, token_type: 'DPoP' },
}

for (const [what, answer] of Object.entries(REFUSED)) {
  t.test(`B46: a token ${what} is 401`, async t => {
    const rig = await rack(t)
    rig.answer = answer

    const { status, headers } = await send(rig.app)

    t.equal(status, 401)
    t.match(headers['www-authenticate'], /^Bearer error="invalid_token"/)
  })
}

t.test('tokens without an audience: where a rule says whose they are', async t => {
  const rig = await rack(t, { audienceOptional: true, clientIds: 'app' })
  rig.answer = { ...ALICE, aud: undefined }
  t.equal((await send(rig.app)).status, 200)

  rig.answer = { ...ALICE, aud: undefined, client_id: 'other' }
  t.equal((await send(rig.app, opaque('opaque-2'))).status, 401)
})

const AWAY: Record<string, Rack['answer']> = {
  'HTTP 500': response => sendJson(response, 500, ALICE),
  'a secret that is not accepted': response => sendJson(response, 401, ALICE),
  'a closed connection': response => void response.destroy(),
  text: response => void response.end('{"active":true'),
  'a redirect': response => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
  'a body without end': response => void response.writeHead(200).end(`{"active":true,"x":"${'x'.repeat(70_000)}"}`),
}

for (const [what, answer] of Object.entries(AWAY)) {
  t.test(`B46: ${what} is no answer: 503, /ready says why, and the token counts again afterwards`, async t => {
    const rig = await rack(t)
    rig.answer = answer

    const { status, headers } = await send(rig.app)
    t.equal(status, 503)
    t.ok(Number(headers['retry-after']) > 0)
    t.equal(headers['www-authenticate'], undefined)
    t.match((await rig.app.inject('/ready')).json(), { status: 'ready', degraded: [/^issuer http/] })

    rig.answer = ALICE
    t.equal((await send(rig.app)).status, 200)
    t.strictSame((await rig.app.inject('/ready')).json(), { status: 'ready' })
  })
}

t.test('B46: a token is asked about again after a minute, and when it has ended', async t => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const rig = await rack(t)
  rig.answer = { ...ALICE, exp: nowS() + 90 }
  t.equal((await send(rig.app)).status, 200)

  mock.timers.setTime(Date.now() + 61_000)
  t.equal((await send(rig.app)).status, 200)
  t.equal(rig.server.asked.length, 2)

  rig.answer = { active: false }
  mock.timers.setTime(Date.now() + 30_000)
  t.equal((await send(rig.app)).status, 401, 'no longer than its exp')
})

t.test('requests with one token share the question', async t => {
  const rig = await rack(t)
  const held: (() => void)[] = []
  rig.answer = response => void held.push(() => sendJson(response, 200, ALICE))
  const all = [1, 2, 3, 4].map(() => send(rig.app))
  await until(() => held.length > 0, 'it was asked')

  held.shift()!()

  t.strictSame(
    (await Promise.all(all)).map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.equal(rig.server.asked.length, 1)
})

t.test('B46: only so many questions at a time', async t => {
  const rig = await rack(t)
  const held: (() => void)[] = []
  rig.answer = response => void held.push(() => sendJson(response, 200, ALICE))
  const waiting = Array.from({ length: MAX_QUESTIONS }, (_, at) => send(rig.app, opaque(`opaque-${at}`)))
  await until(() => held.length === MAX_QUESTIONS, 'all were asked')

  t.equal((await send(rig.app, opaque('one more'.replace(' ', '-').replace(' ', '-')))).status, 503)

  for (const letGo of held) letGo()
  t.ok((await Promise.all(waiting)).every(({ status }) => status === 200))
})

t.test('B45, B46: nobody is shown the token of another issuer', async t => {
  const { app, server } = await rack(t)

  t.equal((await send(app, tokenOf(rs, 'https://other.example'))).status, 401)
  t.strictSame(server.asked, [])
})

t.test('nor a JWT of which this server understands too little', async t => {
  const { app, server } = await rack(t)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const payload = encode({ iss: 'https://other.example', aud: AUDIENCE })
  const odd = [
    `${encode({ alg: 'RS256', kid: 'k'.repeat(300) })}.${payload}.AAAA`,
    `${encode({ alg: 'RS256', crit: ['x'] })}.${payload}.AAAA`,
    `${encode({ alg: 'RS256' })}.${payload}.AAAB=`,
    `${encode({ alg: 'none' })}.${payload}.`,
  ]

  for (const token of odd) t.equal((await send(app, opaque(token))).status, 401, token)
  t.strictSame(server.asked, [])
  const encrypted = `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.AAAA.AAAA.AAAA.AAAA`
  t.equal((await send(app, opaque(encrypted))).status, 200, 'its issuer alone can read it')
})

t.test('a signed token of this issuer is asked about as well', async t => {
  const { app, server, issuer } = await rack(t)

  t.equal((await send(app, tokenOf(rs, issuer))).status, 200)
  t.equal(server.asked.length, 1)
})

t.test('a secret that is rotated counts at the next question', async t => {
  const { app, server, secretFile } = await rack(t)
  await send(app)
  writeFileSync(secretFile, 'rotated')

  await send(app, opaque('opaque-2'))

  t.equal(server.asked[1]!.authorization, `Basic ${Buffer.from('mcp+tools:rotated').toString('base64')}`)
})

t.test('the metadata of the issuer names the endpoint', async t => {
  const { app } = await rack(t, {}, { url: undefined })

  t.equal((await send(app)).status, 200)
})

t.test('an endpoint that moves is found where the metadata says', async t => {
  const rig = await rack(t, {}, { url: undefined })
  const { app, server, issuer } = rig
  t.equal((await send(app)).status, 200)
  server.paths[OAUTH('')] = { issuer, introspection_endpoint: `${issuer}/moved` }
  server.paths['/moved'] = ALICE
  rig.answer = response => void response.writeHead(404).end()

  t.equal((await send(app, opaque('opaque-2'))).status, 503)
  t.equal((await send(app, opaque('opaque-2'))).status, 200)
})

const UNUSABLE: Record<string, (rig: Unready) => void> = {
  'whose secret is refused': ({ server }) => {
    server.paths['/introspect'] = (_asked, response) => sendJson(response, 401, { error: 'invalid_client' })
  },
  'at a wrong URL': ({ server }) => {
    delete server.paths['/introspect']
  },
  'without the file of its secret': ({ secretFile }) => rmSync(secretFile),
}

for (const [what, spoil] of Object.entries(UNUSABLE)) {
  t.test(`an issuer ${what}: the server is not ready, until it answers`, async t => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const rig = await prepare(t)
    spoil(rig)
    const app = await startIn(t, rig)
    const ready = () => app.inject('/ready')
    t.equal((await ready()).statusCode, 503)
    t.match((await ready()).json(), { status: 'starting', degraded: [/^issuer http/] })

    rig.server.paths['/introspect'] = { active: false }
    writeFileSync(rig.secretFile, 'right')
    mock.timers.tick(10_000)
    await until(async () => (await ready()).statusCode === 200, 'ready')
    t.strictSame((await ready()).json(), { status: 'ready' })
  })
}

t.test('an issuer that answers 400 about what is no token of its own is there', async t => {
  const rig = await prepare(t)
  rig.server.paths['/introspect'] = (_asked, response) => sendJson(response, 400, { error: 'invalid_request' })

  t.strictSame((await (await startIn(t, rig)).inject('/ready')).json(), { status: 'ready' })
})

t.test('an issuer that answers again is noticed without a token', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const rig = await rack(t)
  rig.answer = response => sendJson(response, 500, {})
  t.equal((await send(rig.app)).status, 503)
  t.match((await rig.app.inject('/ready')).json(), { status: 'ready', degraded: [/HTTP 500/] })

  rig.answer = { active: false }
  mock.timers.tick(10_000)
  await until(async () => (await rig.app.inject('/ready')).json().degraded === undefined, 'it is well')
})

t.test("GitHub's tokens, as it answers about them", async t => {
  const rule = { audienceOptional: true, clientIds: 'Iv1.8a61f9b3a7aba766', requiredClaims: { login: ['octocat'] } }
  const rig = await rack(t, rule, { form: 'github', clientId: 'Iv1.8a61f9b3a7aba766' })
  const octocat = {
    id: 1,
    scopes: ['repo', 'user'],
    token: 'gho_x',
    app: { client_id: 'Iv1.8a61f9b3a7aba766' },
    user: { login: 'octocat', id: 583231 },
    expires_at: null,
  }
  rig.answer = octocat

  t.match((await send(rig.app, opaque('gho_16C7e42F292c6912E7'))).caller, {
    subject: '583231',
    clientId: 'Iv1.8a61f9b3a7aba766',
    scopes: ['repo', 'user'],
  })
  t.strictSame(JSON.parse(rig.server.asked[0]!.body), { access_token: 'gho_16C7e42F292c6912E7' })

  rig.answer = response => sendJson(response, 404, { message: 'Not Found' })
  t.equal((await send(rig.app, opaque('gho_revoked'))).status, 401)
  rig.answer = { ...octocat, expires_at: '2020-01-01T00:00:00Z' }
  t.equal((await send(rig.app, opaque('gho_ended'))).status, 401)
  rig.answer = { ...octocat, user: { login: 'mallory', id: 2 } }
  t.equal((await send(rig.app, opaque('gho_other'))).status, 401)
  rig.answer = { ...octocat, user: { login: 'octocat' } }
  t.equal((await send(rig.app, opaque('gho_nobody'))).status, 401)
})

t.test("Google's access tokens, as it answers about them", async t => {
  const rig = await rack(t, { audience: 'app.apps.googleusercontent.com' }, { form: 'google' })
  const google = {
    azp: 'app.apps.googleusercontent.com',
    aud: 'app.apps.googleusercontent.com',
    sub: '110169484474386276334',
    scope: 'openid https://www.googleapis.com/auth/userinfo.email',
    exp: String(nowS() + 3000),
    expires_in: '3000',
    email: 'ann@shop.example',
    email_verified: 'true',
    access_type: 'online',
  }
  rig.answer = google

  t.match((await send(rig.app, opaque('ya29.a0Af'))).caller, { subject: '110169484474386276334' })
  t.equal(rig.server.asked[0]!.authorization, 'Bearer ya29.a0Af')

  rig.answer = response => sendJson(response, 400, { error: 'invalid_token' })
  t.equal((await send(rig.app, opaque('ya29.ended'))).status, 401)
  rig.answer = { ...google, aud: 'other.apps.googleusercontent.com' }
  t.equal((await send(rig.app, opaque('ya29.other'))).status, 401)
})
