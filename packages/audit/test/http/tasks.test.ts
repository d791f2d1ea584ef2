// A call that goes on as a task: a line when it is handed out, and one when it has ended.
import t from 'tap'
import { ToolError } from '../../../../src/index.ts'
import { type App, build, type CallOptions, call } from '../../../../test/support/app.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { session } from '../../../../test/support/client/app-client.ts'
import { form } from '../../../../test/support/input/rounds.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import {
  cancel,
  get,
  held,
  job,
  nextTurn,
  rack,
  start,
  taskFrom,
  update,
  whenAsking,
} from '../../../../test/support/tasks/modern.ts'

const ended = ({ audit }: App) =>
  audit.lines.filter(({ task, method }) => task !== undefined && method === 'tools/call')

/** The line of a task that has ended. */
async function endOf(app: App, taskId: string) {
  const find = () => ended(app).find(({ task }) => taskId.startsWith(task))
  await until(() => find() !== undefined, `the line of ${taskId}`)
  return find()
}

t.test('audit: a call that goes on as a task leaves a line when it is handed out, and one when it ends', async t => {
  const { tool, release } = held()
  const app = await rack(t, [tool])

  const taskId = await taskFrom(app, 'held', { a: 1 })
  t.equal(app.audit.lines.length, 1)
  release()
  const end = await endOf(app, taskId)

  const [handedOut] = app.audit.lines
  const about = { method: 'tools/call', tool: 'held', arguments: ['a'], address: '127.0.0.1' }
  t.match(handedOut, { ...about, outcome: 'task', kind: 'task', task: undefined })
  t.match(end, { ...about, outcome: 'ok', kind: undefined, task: taskId.slice(0, 8), requestBytes: undefined })
  t.equal(end.requestId, handedOut.requestId)
  t.ok(end.durationMs >= 0)
  t.equal(app.audit.lines.length, 2)
})

t.test('audit: of a call that ends within its request, the request alone tells', async t => {
  const app = await build(t, { tools: [job('quick', () => 'done')], tasks: { inlineMs: 60_000 } })

  const { result } = await start(app, 'quick')

  t.equal(result.content[0].text, 'done')
  t.match(app.audit.lines, [{ tool: 'quick', outcome: 'ok', task: undefined }])
  t.equal(app.audit.lines.length, 1)
})

const ENDS: [string, Parameters<typeof job>[1], object, object][] = [
  ['isError', () => Promise.reject(new ToolError('no')), {}, { outcome: 'isError', kind: 'tool_error' }],
  ['wrong', () => ({}), { outputSchema: { type: 'object', required: ['a'] } }, { kind: 'invalid_output' }],
  ['late', () => new Promise(() => {}), { timeout: 10 }, { outcome: 'timed_out', kind: 'timed_out' }],
  ['unable', ({ sample }) => sample('m', {} as never), {}, { outcome: 'refused', kind: 'MISSING_CAPABILITY' }],
]

for (const [name, handler, more, expected] of ENDS) {
  t.test(`audit: the end of a task says that it was ${Object.values(expected).join(', ')}`, async t => {
    const afterwards = job(name, (ctx, args) => nextTurn().then(() => handler(ctx, args)), more)
    const app = await rack(t, [afterwards])
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

    const taskId = await taskFrom(app, name, {}, { capabilities })

    t.match(await endOf(app, taskId), { tool: name, ...expected })
  })
}

t.test('audit: a task that is cancelled leaves the line of who cancelled it, and its own if it ran', async t => {
  const { tool } = held()
  const app = await rack(t, [tool], { limits: { maxConcurrentCalls: 1 } })
  const running = await taskFrom(app, 'held')
  const waiting = await taskFrom(app, 'held')

  for (const taskId of [waiting, running]) await cancel(app, taskId)

  t.match(await endOf(app, running), { outcome: 'cancelled', kind: 'cancelled' })
  const cancelling = app.audit.lines.filter(({ method }) => method === 'tasks/cancel')
  t.match(
    cancelling.map(({ task, outcome }) => [task, outcome]),
    [waiting, running].map(taskId => [taskId.slice(0, 8), 'ok']),
  )
  t.equal(ended(app).length, 1)
})

t.test('audit: a task that asks has not ended; when it has, its one line comes', async t => {
  const asks = job('asks', async ({ elicit }) => {
    await nextTurn()
    return (await elicit('name', form('name'))).action
  })
  const app = await rack(t, [asks])
  const taskId = await taskFrom(app, 'asks')
  await whenAsking(app, taskId)
  t.equal(ended(app).length, 0)

  await update(app, { taskId, inputResponses: { name: { action: 'decline' } } })

  t.match(await endOf(app, taskId), { outcome: 'ok' })
  t.equal(ended(app).length, 1)
  t.match(
    app.audit.lines.find(({ method }) => method === 'tasks/update'),
    { task: taskId.slice(0, 8), outcome: 'ok' },
  )
})

t.test(
  'audit: neither the audit nor the log has the whole id of a task, with which anybody could ask for it',
  async t => {
    const { tool, release } = held()
    const app = await rack(t, [tool], { logLevel: 'trace' })
    const taskId = await taskFrom(app, 'held')

    await get(app, taskId)
    await get(app, 'x'.repeat(32))
    release()
    await endOf(app, taskId)

    t.match(
      app.audit.lines.filter(({ method }) => method === 'tasks/get').map(({ task, kind }) => [task, kind]),
      [
        [taskId.slice(0, 8), undefined],
        ['xxxxxxxx', 'TASK_NOT_FOUND'],
      ],
    )
    t.notOk((app.audit.text + app.logs.text).includes(taskId))
  },
)

t.test('audit: the end of a task names who asked for it', async t => {
  const app = await guarded(t, { tools: [job('quick', () => nextTurn())], tasks: { inlineMs: 0 } })
  const options: CallOptions = { headers: bearer('', { client_id: 'agent' }) }

  const taskId = await taskFrom(app, 'quick', {}, options)

  const who = { subject: 'alice', client: 'agent', issuer: 'https://as.example', address: undefined }
  t.match(await endOf(app, taskId), who)
})

t.test('audit: a task of 2025-11-25 leaves the same lines', async t => {
  const client = await session(t, { tools: [job('quick', () => 'done')] })

  const { result } = await client.send(client.request('tools/call', { name: 'quick', arguments: {}, task: {} }))
  await client.call('tasks/result', { taskId: result.task.taskId })

  t.match(await endOf(client.app, result.task.taskId), { tool: 'quick', outcome: 'ok' })
  const lines = client.app.audit.lines.filter(({ method }) => method !== 'initialize')
  t.match(
    lines.map(({ outcome, task }) => [outcome, task !== undefined]),
    [
      ['task', false],
      ['ok', true],
      ['ok', true],
    ],
  )
})

t.test('audit: of TASK_FALLBACK_TOOLS the call is a task too', async t => {
  const quick = job('quick', () => nextTurn(), { task: 'required' })
  const app = await build(t, { tools: [quick], tasks: { fallbackTools: true, inlineMs: 0 } })

  await call(app, 'tools/call', { name: 'quick', arguments: {} })

  await until(() => ended(app).length > 0, 'its end')
  t.match(
    app.audit.lines.map(({ outcome }) => outcome),
    ['task', 'ok'],
  )
})
