// The lines about one call: one request id, one trace id, and a warning where it was slow.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build, call, listening, stream } from '../../support/app.ts'
import { connected, session } from '../../support/client/app-client.ts'
import { movableClock } from '../../support/clock.ts'
import { until } from '../../support/eventually.ts'
import { tool } from '../../support/steered-tools.ts'
import { held } from '../../support/tasks/modern.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`

const wait = (ms: number) => new Promise(done => setTimeout(done, ms))
const slow = tool('slow', async () => {
  await wait(30)
  return 'slow'
})
const lasting = defineTool({
  name: 'lasting',
  task: 'optional',
  async handler() {
    await wait(60)
    return 'lasted'
  },
})
const asks = tool('asks', async ctx => {
  await ctx.elicit('q', { message: '?', requestedSchema: { type: 'object', properties: {} } })
  return 'asked'
})
const fails = tool('fails', ctx => {
  ctx.log.info('about to fail')
  throw new Error('no')
})

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

t.test('logs: every line about a call has the same request id and trace id', async t => {
  const app = await build(t, { tools: [fails], slowCallMs: 1, logLevel: 'debug' })
  const blocked = tool('blocked', ctx => {
    ctx.log.info('about to fail')
    const endMs = performance.now() + 3
    while (performance.now() < endMs);
    throw new Error('no')
  })
  app.toolrack.add(blocked)

  await call(app, 'tools/call', { name: 'blocked', arguments: {} }, { meta: { traceparent } })

  const lines = [...app.logs.lines.filter(({ requestId }) => requestId !== undefined), ...app.audit.lines]
  t.strictSame(
    lines.map(({ msg }) => msg),
    ['tool log', 'tool threw', 'slow call', 'served', 'audit'],
  )
  t.equal(new Set(lines.map(({ requestId }) => requestId)).size, 1)
  t.strictSame([...new Set(lines.map(({ traceId }) => traceId))], [TRACE_ID])
})

t.test('logs: without a trace there is no trace id', async t => {
  const app = await build(t, { tools: [fails] })

  await call(app, 'tools/call', { name: 'fails', arguments: {} })

  t.ok(app.logs.lines.some(({ msg }) => msg === 'tool threw'))
  t.notOk(app.logs.lines.some(line => 'traceId' in line))
})

t.test('logs: a slow call is a warning that says what to do', async t => {
  const app = await build(t, { tools: [slow], slowCallMs: 20 })

  await call(app, 'tools/call', { name: 'slow', arguments: {} })

  const line = app.logs.lines.find(({ msg }) => msg === 'slow call')
  t.match(line, { level: 40, tool: 'slow', requestId: /./, hint: /MAX_CONCURRENT_CALLS.*docs\/reference\/tools\.md/ })
  t.ok(line.elapsedMs >= 20)
})

t.test('logs: a call that is not slow is none', async t => {
  const app = await build(t, { tools: [slow], slowCallMs: 60_000 })

  await call(app, 'tools/call', { name: 'slow', arguments: {} })

  t.notOk(app.logs.lines.some(({ msg }) => msg === 'slow call'))
})

t.test('logs: listeners are not slow', async t => {
  const { app, url } = await listening(t, { slowCallMs: 1 })
  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await listener.next(0)
  await wait(10)

  listener.close()
  await until(() => app.logs.lines.some(({ msg }) => msg === 'served'), 'it was noted')

  t.notOk(app.logs.lines.some(({ msg }) => msg === 'slow call'))
})

t.test('logs: a call that goes on as a task is not slow', async t => {
  const { tool, release } = held()
  const app = await build(t, { tools: [tool], slowCallMs: 1, tasks: { inlineMs: 10 } })

  const { result } = await call(app, 'tools/call', { name: 'held', arguments: {} }, { capabilities: TASKS })
  release()
  await until(() => app.logs.lines.some(({ msg }) => msg === 'task ended'), 'the task ended')

  t.equal(result.resultType, 'task')
  t.notOk(app.logs.lines.some(({ msg }) => msg === 'slow call'))
})

t.test('logs: nor is the wait for the result of a task', async t => {
  const client = await session(t, { tools: [lasting], slowCallMs: 1 })
  const made = await client.callTool('lasting', {}, { task: {} })

  await client.call('tasks/result', { taskId: made.result.task.taskId })

  t.notOk(client.app.logs.lines.some(({ msg }) => msg === 'slow call'))
})

/** The lines of a call whose client takes a minute to answer. */
async function askedSlowly(t: Parameters<typeof connected>[0]) {
  const clock = movableClock(t)
  const client = await connected(t, { tools: [asks], slowCallMs: 30_000 })
  const answers = await client.postTool('asks')
  const question = await answers.next(0)
  clock.forward(60_000)

  await client.answer(question, { action: 'accept', content: {} })
  await answers.next(1)
  const { audit, logs } = client.app
  return { audit: audit.lines.find(({ tool }) => tool === 'asks'), isSlow: logs.lines.some(isSlowCall) }
}

const isSlowCall = ({ msg }: { msg: string }) => msg === 'slow call'

t.test('logs: what a client takes to answer is not the time of the call', async t => {
  const asked = await askedSlowly(t)

  t.ok(asked.audit.durationMs >= 60_000)
  t.notOk(asked.isSlow)
})

t.test('logs: lines about a task have the request id and the trace id of its call', async t => {
  const { tool, release } = held()
  const app = await build(t, { tools: [tool], tasks: { inlineMs: 0 } })

  await call(app, 'tools/call', { name: 'held', arguments: {} }, { capabilities: TASKS, headers: { traceparent } })
  await until(() => app.logs.lines.some(({ msg }) => msg === 'served'), 'the call was served')
  release()
  await until(() => app.audit.lines.length === 2, 'the task ended')

  const lines = [...app.logs.lines.filter(({ requestId }) => requestId !== undefined), ...app.audit.lines]
  t.strictSame(
    lines.map(({ msg, traceId }) => [msg, traceId]),
    [
      ['served', TRACE_ID],
      ['task ended', TRACE_ID],
      ['audit', TRACE_ID],
      ['audit', TRACE_ID],
    ],
  )
  t.equal(new Set(lines.map(({ requestId }) => requestId)).size, 1)
})
