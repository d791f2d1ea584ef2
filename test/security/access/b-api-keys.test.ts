// API keys: none that is forged is let in; and what a key has opened ends with it.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { call, listen, stream } from '../../support/app.ts'
import { keyed, type TestKey, testKey } from '../../support/auth/api-keys.ts'
import { attackApiKeys } from '../../support/auth/attack-api-keys.ts'
import { socket } from '../../support/client/transport.ts'
import { until } from '../../support/eventually.ts'
import { handshake } from '../../support/security/sessions.ts'

t.test('B40: no forged key is let in, none breaks anything, and none is told to anybody', async t => {
  const report = await attackApiKeys(t)

  t.ok(report.tried >= 450, `${report.tried} tried`)
  t.strictSame(report.letIn, [])
  t.strictSame(report.broken, [])
  t.strictSame(report.odd, [])
  t.strictSame(report.leaked, [])
  t.equal(report.good, report.ofGood)
  t.equal(report.ofGood, 6)
})

const LISTEN = { notifications: { toolsListChanged: true } }

/** A server over HTTP+SSE, too, and a key that is to end, beside one that stays. */
async function ending(t: Test, over: Parameters<typeof testKey>[0] = {}) {
  const [late, good] = [testKey({ subject: 'late', ...over }), testKey()]
  const { app, file } = await keyed(t, [late, good], { httpSse: true })
  const port = await listen(app)
  return { app, port, url: `http://127.0.0.1:${port}/mcp`, file, late, good }
}

type Ending = Awaited<ReturnType<typeof ending>>

// How a key ends. Each is noticed by a look at the file, which a test cannot hurry but by SIGHUP.
const ENDS: Readonly<Record<string, (server: Ending) => unknown>> = {
  removed: ({ file, good }) => file.set(good),
  'given fewer rights': ({ file, good, late }) => {
    const record = { ...late.record, scopes: ['none'] }
    file.set({ ...late, record }, good)
  },
}

for (const [how, end] of Object.entries(ENDS)) {
  t.test(`B41: streams of a key that is ${how} end, each in its way; those of others go on`, async t => {
    const server = await ending(t)
    const { app, port, url, late, good } = server
    const session = async ({ headers }: TestKey) =>
      String((await socket(port, t).send({ body: handshake(), headers })).headers['mcp-session-id'])
    const listener = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: late.headers, id: 'late' })
    const other = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: good.headers })
    const news = await socket(port, t).stream({ session: await session(late), headers: late.headers })
    const sse = await socket(port, t).stream({ path: '/sse', headers: late.headers })
    await Promise.all([listener.next(0), other.next(0), until(() => sse.events[0], 'the endpoint was told')])

    end(server)
    await Promise.all([listener.ended, news.ended, sse.ended])

    t.match(listener.messages.at(-1), { id: 'late', result: { resultType: 'complete' } })
    app.toolrack.remove('free')
    t.equal((await other.next(1)).method, 'notifications/tools/list_changed')
    t.equal(listener.messages.length, 2, 'it is told nothing of it')
  })
}

t.test('B41: a key that expires while its stream is open ends it, without the tolerance of tokens', async t => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const atMs = Date.now() + 60_000
  const server = await ending(t, { expires: new Date(atMs).toISOString() })
  const listener = await stream(t, server.url, 'subscriptions/listen', LISTEN, { headers: server.late.headers })
  await listener.next(0)

  mock.timers.setTime(atMs)
  await listener.ended

  t.match(listener.messages.at(-1), { result: { resultType: 'complete' } })
  const { status, error } = await call(server.app, 'tools/list', {}, { headers: server.late.headers })
  t.equal(status, 401)
  t.match(error.message, /expired/)
})

t.test('B41: a key that was replaced by another of its subject: session and task go on', async t => {
  const [old, next] = [testKey({ scopes: ['read'] }), testKey({ scopes: ['read'] })]
  const slow = defineTool({ name: 'slow', task: 'required', handler: () => 'done' })
  const { app, file } = await keyed(t, [old, next], { tools: [slow], tasks: { inlineMs: 0 } })
  const tasks = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
  const made = await call(app, 'tools/call', { name: 'slow', arguments: {} }, { headers: old.headers, ...tasks })
  const { taskId } = made.result

  file.set(next)
  await app.toolrack.reload()

  const read = (key: TestKey) => call(app, 'tasks/get', { taskId }, { headers: key.headers, ...tasks })
  t.equal((await read(old)).status, 401)
  t.equal((await read(next)).result.taskId, taskId)
})
