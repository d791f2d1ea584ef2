// `app.toolrack.on('ended', …)`: who, what, how, how long and how large, and no secret.
import { runInNewContext } from 'node:vm'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { defineTool, type EndedRequest, type ServerOptions, ToolError, Type, toolrack } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { signed } from '../../support/auth/tokens.ts'
import { eventually } from '../../support/eventually.ts'

const SECRET = 'a-secret-of-more-than-thirty-two-bytes'

const tools = [
  defineTool({
    name: 'greet',
    inputSchema: Type.Object({ name: Type.String() }),
    handler: ({ name }) => `Hello ${name}`,
  }),
  defineTool({
    name: 'fail',
    handler() {
      throw new ToolError('not today')
    },
  }),
]

async function hearing(t: Test, options: ServerOptions = {}) {
  const app = await build(t, { tools, ...options })
  const heard: EndedRequest[] = []
  const stop = app.toolrack.on('ended', ended => heard.push(ended))
  return { app, heard, stop }
}

t.test('each end is told once: what was called, how it ended, how long and how large', async t => {
  const { app, heard } = await hearing(t)

  await call(app, 'tools/call', { name: 'greet', arguments: { name: 'a secret name' } })
  await call(app, 'tools/call', { name: 'fail', arguments: {} })
  await call(app, 'tools/call', { name: 'greet', arguments: {} })
  await call(app, 'tools/call', { name: 'nobody', arguments: {} })

  t.match(heard, [
    { source: 'method', door: 'mcp', revision: /^\d{4}-/, method: 'tools/call', outcome: 'ok', status: 200 },
    { outcome: 'tool_error', reason: 'tool_error', target: { kind: 'tool', name: 'fail' } },
    { outcome: 'invalid_arguments' },
    { outcome: 'refused', reason: 'UNKNOWN_TOOL', code: -32602, target: { kind: 'tool', name: 'nobody' } },
  ])
  const [{ durationMs, waitedMs, requestBytes, responseBytes, requestId, address } = heard[0]!] = heard
  t.ok(durationMs! > 0 && waitedMs === 0 && requestBytes! > 50 && responseBytes! > 50)
  t.match([requestId, address], [/\S/, '127.0.0.1'])
  t.notMatch(JSON.stringify(heard), /a secret name|Hello/)
  t.ok(heard.every(Object.isFrozen))
})

t.test('the caller is named, with its tenant, and its token is not', async t => {
  const jwt = { secret: SECRET, claims: { tenant: 'tid' } }
  const { app, heard } = await hearing(t, { jwt, tenantClaim: 'tenant', publicUrl: 'http://localhost:3000/mcp' })
  const bearer = signed(SECRET, { sub: 'ann', aud: 'http://localhost:3000/mcp', tid: 'acme' })

  await call(
    app,
    'tools/call',
    { name: 'greet', arguments: { name: 'x' } },
    { headers: { authorization: `Bearer ${bearer}` } },
  )
  await app.inject({ method: 'POST', url: '/mcp', payload: '{}', headers: { 'content-type': 'application/json' } })

  t.match(heard, [
    { caller: { subject: 'ann', tenant: 'acme' }, address: undefined },
    { source: 'http', verb: 'POST', outcome: 'denied', reason: 'UNAUTHENTICATED', status: 401, caller: undefined },
  ])
  t.notOk(JSON.stringify(heard).includes(bearer))
})

t.test('what a program asks is told too if nothing is served', async t => {
  const { app, heard } = await hearing(t)
  const asked = { door: 'cron', clientKey: 'cron', client: { capabilities: {} }, requestBytes: 7 }
  const call = { ...asked, method: 'tools/call', params: { name: 'greet' } }

  await app.toolrack.serve({ ...call, meta: { progressToken: {} } })
  await app.close()
  await app.toolrack.serve(call)

  const about = { source: 'http', door: 'cron', method: 'tools/call', target: { name: 'greet' }, requestBytes: 7 }
  t.match(heard, [
    { ...about, outcome: 'refused', reason: 'INVALID_PARAMS', status: 400 },
    { ...about, outcome: 'refused', reason: 'DRAINING', status: 503 },
  ])
})

t.test('a refusal has its duration without an audit, too', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack, { tools })
  const heard: EndedRequest[] = []
  app.toolrack.on('ended', ended => heard.push(ended))

  await app.inject({ method: 'POST', url: '/mcp', payload: '{', headers: { 'content-type': 'application/json' } })

  t.match(heard, [{ outcome: 'refused', reason: 'PARSE_ERROR', durationMs: Number }])
})

t.test('plain HTTP tells the status that its client gets, and its tasks end by its door', async t => {
  // A task that ends within its request is reported with it.
  const { promise: wasAnswered, resolve: endJob } = Promise.withResolvers<string>()
  const { app, heard } = await hearing(t, {
    plainHttp: true,
    tasks: { inlineMs: 1 },
    tools: [...tools, defineTool({ name: 'job', task: 'required', handler: () => wasAnswered })],
  })
  const post = (name: string, payload = {}) => app.inject({ method: 'POST', url: `/tools/${name}`, payload })

  for (const name of ['fail', 'greet', 'nobody', 'job']) {
    const { statusCode } = await post(name)
    t.equal(heard.find(({ target }) => target?.name === name)?.status, statusCode, name)
  }
  t.equal(
    (await app.inject({ url: '/tools/tasks/none' })).statusCode,
    heard.find(({ method }) => method === 'tasks/get')?.status,
  )

  endJob('done')
  await eventually(() => heard.some(({ source }) => source === 'task'), 'the task ends')
  t.match(
    heard.find(({ source }) => source === 'task'),
    { door: 'plain-http', target: { name: 'job' } },
  )
})

t.test('a path that cannot be read is a refusal as any other', async t => {
  const { app, heard } = await hearing(t)

  for (const url of ['/%zz', '/nothing']) await app.inject({ url })

  const refused = { source: 'http', verb: 'GET', outcome: 'refused', reason: 'NOT_FOUND', status: 404 }
  t.match(heard, [refused, refused])
  t.match(heard[0], { address: '127.0.0.1', requestId: /./, responseBytes: Number })
})

t.test('plain HTTP is another door', async t => {
  const { app, heard } = await hearing(t, { plainHttp: true })

  await app.inject({ method: 'POST', url: '/tools/greet', payload: { name: 'x' } })

  t.match(heard, [{ door: 'plain-http', revision: undefined, outcome: 'ok', target: { name: 'greet' } }])
})

t.test('a listener that fails is logged; one that is removed hears nothing more', async t => {
  const { app, heard, stop } = await hearing(t)
  app.toolrack.on('ended', () => {
    throw new Error('broken')
  })
  app.toolrack.on('ended', async () => {
    throw new Error('later')
  })
  // Of another realm, so no instance of Promise, as those of some libraries.
  app.toolrack.on('ended', () => runInNewContext("Promise.reject(new Error('foreign'))"))

  const reply = await call(app, 'tools/call', { name: 'greet', arguments: { name: 'x' } })
  stop()
  await call(app, 'ping')

  t.match(reply.result, { content: [{ text: 'Hello x' }] })
  t.equal(heard.length, 1)
  const failures = () => app.logs.lines.filter(({ msg }) => msg === 'a listener to the end of a request has failed')
  await eventually(() => failures().length === 6, 'all failures')
  t.strictSame(new Set(failures().map(({ err }) => err.message)), new Set(['broken', 'later', 'foreign']))
})

t.test('there is no other event, and no listener that cannot listen', async t => {
  const { app } = await hearing(t)

  t.throws(() => app.toolrack.on('begun' as 'ended', () => {}), { message: 'begun: no such event; there is ended' })
  t.throws(() => app.toolrack.on('ended', 7 as never), TypeError)
})
