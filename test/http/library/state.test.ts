// `state` as an option: stores of one's own beside those in memory, and states that are no states.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { redis } from '../../../packages/toolrack/redis.ts'
import { memory } from '../../../packages/toolrack/state.ts'
import { createServer, type ServerOptions, toolrack } from '../../../src/index.ts'
import type { State } from '../../../src/state/state.ts'
import { build, call, listening } from '../../support/app.ts'
import { AppClient, open } from '../../support/client/app-client.ts'
import { begin, resultOf, taskTool } from '../../support/legacy/tasking.ts'
import { tool } from '../../support/steered-tools.ts'
import { Ledger, LedgerSessions, LedgerTasks, Table } from '../../support/stores/ledger.ts'
import { held, rack, taskFrom, whenEnded } from '../../support/tasks/modern.ts'

function ledgerState(table?: Table) {
  const ledger = new Ledger(table)
  const state = { ...memory(), sessions: new LedgerSessions(ledger), tasks: new LedgerTasks(ledger) } satisfies State
  return { ledger, state }
}

t.test('a session lives in a store of somebody else, and is found by the next server', async t => {
  const table = new Table()
  const serve = (t: Test) =>
    build(t, { state: ledgerState(table).state, tools: [tool('echo', (_ctx, args) => args['text'])] })
  const client = await open(t, await serve(t))
  t.equal((await client.callTool('echo', { text: 'hi' })).result.content[0].text, 'hi')
  t.strictSame([...table.rows.keys()], [`session ${client.id}`])

  const next = new AppClient(t, await serve(t), client)
  t.equal((await next.callTool('echo', { text: 'again' })).result.content[0].text, 'again')

  await next.end()
  t.equal(table.rows.size, 0)
  t.equal((await next.callTool('echo', { text: 'late' })).status, 404)
})

t.test('the first stream at the next server says that the lists may have changed, and no other does', async t => {
  const table = new Table()
  const serve = async (t: Test) => (await listening(t, { state: ledgerState(table).state })).app
  const before = await open(t, await serve(t))
  const client = new AppClient(t, await serve(t), before)

  const first = await client.listen()
  for (const n of [0, 1, 2]) await first.next(n)
  const second = await client.listen()
  client.app.toolrack.add(tool('late', () => 'hi'))
  await second.next(0)

  const methods = ['tools', 'prompts', 'resources'].map(list => `notifications/${list}/list_changed`)
  t.strictSame(
    first.messages.map(({ method }) => method),
    methods,
  )
  t.strictSame(
    second.messages.map(({ method }) => method),
    methods.slice(0, 1),
  )
})

t.test('a task of a session lives there, too', async t => {
  const { ledger, state } = ledgerState()
  const app = await build(t, {
    state,
    tools: [taskTool('slow', () => new Promise(resolve => setImmediate(resolve, 'done')))],
  })
  const client = await open(t, app)

  const { taskId } = await begin(client, 'slow')

  t.equal((await resultOf(client, taskId)).result.content[0].text, 'done')
  t.match(JSON.parse(ledger.table.rows.get(`task ${taskId}`)!.text), { id: taskId, status: 'completed' })
})

t.test('a task of a stateless call lives there', async t => {
  const { ledger, state } = ledgerState()
  const slow = held()
  const app = await rack(t, [slow.tool], { state })

  const id = await taskFrom(app, 'held')
  t.match(JSON.parse(ledger.table.rows.get(`task ${id}`)!.text), { id, status: 'working' })
  slow.release('at last')

  t.match(await whenEnded(app, id), { status: 'completed', result: { content: [{ text: 'at last' }] } })
})

t.test('what stands behind several stores is started and closed once, with what the server knows', async t => {
  const { ledger, state } = ledgerState()
  const app = await createServer({
    state,
    sessions: { ttlMs: 90_000 },
    limits: { maxConcurrentCalls: 7 },
    logLevel: 'silent',
  })

  t.strictSame(ledger.calls, ['start'])
  t.match(ledger.context, { sessionTtlMs: 90_000, maxConcurrentCalls: 7, hasStateSecret: false })
  t.equal(app.toolrack.startUp['state'], 'sessions, tasks in the ledger; the rest in memory')
  await app.close()

  t.strictSame(ledger.calls, ['start', 'close'])
})

t.test('a plugin takes a state', async t => {
  const { ledger, state } = ledgerState()
  const app = Fastify()
  await app.register(toolrack, { state, tools: [tool('echo', () => 'hi')] })

  t.match(await call(app, 'tools/call', { name: 'echo', arguments: {} }), { result: { content: [{ text: 'hi' }] } })
  await app.close()

  t.strictSame(ledger.calls, ['start', 'close'])
})

t.test('a store that does not start stops the server, and those that have are closed', async t => {
  const { ledger, state } = ledgerState()
  const broken = Object.assign(memory().events, { start: () => Promise.reject(new Error('the disk is gone')) })

  await t.rejects(createServer({ state: { ...state, events: broken }, logLevel: 'silent' }), {
    message: 'the disk is gone',
  })

  t.strictSame(ledger.calls, ['start', 'close'])
})

t.test('what a store cannot do now is in GET /ready, and in no answer', async t => {
  const { ledger, state } = ledgerState()
  const problems: string[] = []
  const app = await build(t, {
    state: { ...state, tasks: new LedgerTasks(Object.assign(ledger, { problems: () => problems })) },
  })
  t.equal((await app.inject('/ready')).statusCode, 200)

  problems.push('the ledger is full')

  t.match((await app.inject('/ready')).body, /the ledger is full/)
})

t.test('a value that is no state is refused by name', async t => {
  const { usedTokens: _, ...lacking } = memory()
  const { create: __, ...halfTasks } = { create() {}, find() {}, remove() {}, list() {}, onChange() {} }
  const bad: Record<string, [state: unknown, message: string]> = {
    text: ['redis://localhost', 'state: expected memory, or sqlite: and the path of a file'],
    lacking: [
      lacking,
      'state: usedTokens is missing; begin with the stores of another state, as in { ...memory(), tasks }',
    ],
    misspelt: [{ ...memory(), task: {} }, 'state: task is unknown; did you mean tasks?'],
    unknown: [{ ...memory(), cache: {} }, 'state: cache is unknown'],
    half: [{ ...memory(), tasks: halfTasks }, 'state: tasks has no method create and no method change'],
    none: [{ ...memory(), files: null }, 'state: files is not a store: expected an object'],
    closing: [
      { ...memory(), secret: { follow() {}, close: true } },
      'state: secret has close, which is not a function',
    ],
    backed: [
      { ...memory(), secret: { follow() {}, backend: 'db' } },
      'state: secret has a backend that is not an object',
    ],
  }
  for (const [name, [state, message]] of Object.entries(bad))
    await t.rejects(createServer({ state } as ServerOptions), { name: 'ConfigError', message }, name)
})

t.test('a state and redis.url exclude each other', async t => {
  await t.rejects(createServer({ state: memory(), redis: { url: 'redis://localhost' } }), {
    name: 'ConfigError',
    message: /redis\.url and state exclude each other/,
  })
})

t.test('redis() says what is wrong with its options', async t => {
  t.throws(() => redis({ url: 'http://localhost' }), { name: 'TypeError', message: /^url: / })
  t.throws(() => redis({ url: 'redis://localhost', prefix: 'a:b' }), { name: 'TypeError', message: /^prefix: / })
})

t.test('redis() makes a state whose stores can be mixed, and connects with the server alone', async t => {
  const far = redis({ url: 'redis://127.0.0.1:1' })
  const app = await build(t, {
    state: { ...memory(), keptResults: far.keptResults },
    tools: [tool('echo', () => 'hi')],
  })

  t.equal(app.toolrack.startUp['state'], 'keptResults in Redis; the rest in memory')
  t.match(await call(app, 'tools/call', { name: 'echo', arguments: {} }), { result: { content: [{ text: 'hi' }] } })
  t.match((await app.inject('/ready')).body, /redis/)
})
