// JWT_CLAIMS: the chosen claims reach handlers and rules through every door, and no other claim
// does.
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { defineTool, type ServerOptions } from '../../../../src/index.ts'
import { call, callTool, listening, request } from '../../../../test/support/app.ts'
import { bearer, guarded, RESOURCE, SECRET } from '../../../../test/support/auth/guarded.ts'
import { signed } from '../../../../test/support/auth/tokens.ts'
import { inject } from '../../../../test/support/client/transport.ts'
import { connect } from '../../../../test/support/legacy/http-sse-client.ts'
import { plain } from '../../../../test/support/plain.ts'
import { callOf, OLDER, openSession } from '../../../../test/support/security/sessions.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import { job, nextTurn, taskFrom, textOf, whenEnded } from '../../../../test/support/tasks/modern.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { testTools } from '../../../testing/src/index.ts'

const who = defineTool({ name: 'who', handler: (_args, { caller }) => JSON.stringify(caller?.claims) })
const later = job('later', async ({ caller }) => {
  await nextTurn()
  return JSON.stringify(caller?.claims)
})
const jwtClaims = { tenant: 'tid', roles: 'realm_access.roles', admin: 'admin' }
const TOKEN = { tid: 'acme', realm_access: { roles: ['reader'] }, email: 'a@acme.example', admin: false }
const ACME = bearer('', TOKEN)
const CLAIMS = { tenant: 'acme', roles: ['reader'], admin: false }
const options: ServerOptions = { jwt: { claims: jwtClaims }, tools: [who, later], tasks: { inlineMs: 0 } }

t.test('a request of its own, sessions and plain HTTP', async t => {
  const app = await guarded(t, { ...options, plainHttp: true })

  t.strictSame(JSON.parse((await callTool(app, 'who', {}, { headers: ACME })).content[0].text), CLAIMS)
  for (const revision of OLDER) {
    const session = await openSession(app, revision, { headers: ACME })
    const { message } = await inject(app).send({ session, body: callOf('who'), headers: ACME })
    const { content, toolResult } = message!.result
    t.strictSame(toolResult ?? JSON.parse(content[0].text), CLAIMS, revision)
  }
  const { text } = await plain(app, '/tools/who', { method: 'POST', headers: { accept: 'text/plain', ...ACME } })
  t.strictSame(JSON.parse(text), CLAIMS)
})

t.test('a session goes by the claims of each request, not by those that opened it', async t => {
  const app = await guarded(t, options)
  const session = await openSession(app, undefined, { headers: ACME })

  const { text } = await inject(app).send({ session, body: callOf('who'), headers: bearer('', { tid: 'other' }) })

  t.match(text, 'other')
  t.notMatch(text, 'acme')
})

t.test('HTTP+SSE', async t => {
  const { url } = await listening(t, {
    ...options,
    httpSse: true,
    jwt: { ...options.jwt, secret: SECRET, audience: 'api' },
  })
  const authorization = `Bearer ${signed(SECRET, { aud: 'api', ...TOKEN })}`
  const client = await connect(t, url, { over: { authorization } })

  await client.ask('initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  const { result } = await client.ask('tools/call', { name: 'who', arguments: {} })

  t.strictSame(JSON.parse(result.content[0].text), CLAIMS)
})

t.test('a task, in memory and in Redis', async t => {
  const inMemory = await guarded(t, options)
  t.strictSame(JSON.parse(textOf(await finish(inMemory))), CLAIMS)

  t.test('Redis', { skip: NO_REDIS }, async t => {
    const { url } = await redisServer(t)
    const app = await guarded(t, { ...options, redis: { ...options.redis, url } })
    t.strictSame(JSON.parse(textOf(await finish(app))), CLAIMS)
  })
})

async function finish(app: Awaited<ReturnType<typeof guarded>>) {
  const id = await taskFrom(app, 'later', {}, { headers: ACME })
  return whenEnded(app, id, { headers: ACME })
}

t.test('an isolated tool', async t => {
  const { path } = tempFolder(t, {
    'who.ts': `export default { name: 'who', isolate: true, handler: (_, { caller }) => JSON.stringify(caller) }`,
  })
  const app = await guarded(t, { jwt: { claims: jwtClaims }, tools: [], toolsDir: path, watchTools: false })

  const { content } = await callTool(app, 'who', {}, { headers: ACME })

  t.match(JSON.parse(content[0].text), { subject: 'alice', claims: CLAIMS })
})

t.test('rules: one that shows a tool to a tenant only, and one around calls', async t => {
  const seen: unknown[] = []
  const app = await guarded(t, {
    ...options,
    visible: (_tool, caller) => caller?.claims?.['tenant'] === 'acme',
    onCall: ({ caller }, next) => {
      seen.push(caller?.claims)
      return next()
    },
  })
  const other = { headers: bearer('', { tid: 'other' }) }

  t.strictSame((await call(app, 'tools/list', {}, { headers: ACME })).result.tools.length, 2)
  t.strictSame((await call(app, 'tools/list', {}, other)).result.tools, [])
  t.match(await call(app, 'tools/call', { name: 'who', arguments: {} }, other), { error: { code: -32602 } })
  await callTool(app, 'who', {}, { headers: ACME })
  t.strictSame(seen, [CLAIMS])
})

t.test('without JWT_CLAIMS there are none; with it, a token without them has an empty set', async t => {
  const without = await guarded(t, { tools: [who] })
  const within = await guarded(t, options)

  t.strictSame((await callTool(without, 'who', {}, { headers: ACME })).content, [])
  t.match((await callTool(within, 'who', {}, { headers: bearer() })).content, [{ text: '{}' }])
})

t.test('claims that are too long together are 401, and the challenge names one', async t => {
  const app = await guarded(t, { ...options, jwt: { ...options.jwt, claims: { tenant: 'tid', copy: 'tid' } } })

  const { status, headers } = await call(app, 'ping', {}, { headers: bearer('', { tid: 'x'.repeat(9000) }) })

  t.equal(status, 401)
  t.match(headers['www-authenticate'], 'error_description="the claims up to copy are longer than 16384 characters"')
})

t.test('toolrack/testing: a test says which claims its caller has', async t => {
  const tools = await testTools([who], { caller: { subject: 'ann', claims: { tenant: 'acme' } } })
  t.teardown(() => tools.close())

  t.equal((await tools.call('who')).text, '{"tenant":"acme"}')
})

t.test('200 groups of Entra fit into a token, and into the claims of a caller', async t => {
  const groups = Array.from({ length: 200 }, () => randomUUID())
  const { url } = await listening(t, {
    jwt: { secret: SECRET, claims: { groups: 'groups' } },
    publicUrl: RESOURCE,
    tools: [who],
    allowedHosts: ['127.0.0.1'],
  })
  const { message, headers } = request(
    'tools/call',
    { name: 'who', arguments: {} },
    { headers: bearer('', { groups }) },
  )
  const { host: _, ...rest } = headers

  const response = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })

  t.equal(response.status, 200)
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  t.strictSame(JSON.parse(result.content[0]!.text), { groups })
})
