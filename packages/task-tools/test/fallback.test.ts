// TASK_FALLBACK_TOOLS: what runs long is of use to clients that know no tasks.
import { mock } from 'node:test'
import t from 'tap'
import { defineTool, ToolError } from '../../../src/index.ts'
import { gatedReport, idOf, later, rack, TOLD, textOf, VERSIONS } from '../../../test/support/tasks/fallback-rack.ts'

const REPORT = [{ type: 'text', text: '{"pages":7}' }]

for (const version of VERSIONS) {
  t.test(`tasks: a client of ${version} that knows none is told in words, and looks with get_task_result`, async t => {
    const { report, open } = gatedReport()
    const { client } = await rack(t, version, [report])

    const told = await client.call('report')
    const looking = client.call('get_task_result', { taskId: idOf(told) })
    open()
    const looked = await looking

    t.equal(told.result.isError, undefined)
    t.match(textOf(told), /get_task_result with \{"taskId":"[\w-]{32}"\}.*cancel_task/)
    t.match(looked.result, { content: REPORT, structuredContent: { pages: 7 }, isError: undefined })
    t.match((await client.call('get_task_result', { taskId: idOf(told) })).result, { content: REPORT }, 'again')
  })

  t.test(`tasks: a client of ${version} gets the plain result of what ends within TASK_INLINE_MS`, async t => {
    const { report, open } = gatedReport()
    open()
    const { client } = await rack(t, version, [report], { tasks: { inlineMs: 60_000 } })

    const { result } = await client.call('report')

    t.match(result, { content: REPORT, structuredContent: { pages: 7 } })
  })

  t.test(`tasks: a client of ${version} ends a task with cancel_task, once`, async t => {
    const { report, started } = gatedReport()
    const { client } = await rack(t, version, [report])
    const taskId = idOf(await client.call('report'))
    const signal = await started

    const cancelled = await client.call('cancel_task', { taskId })
    const again = await client.call('cancel_task', { taskId })

    t.ok(signal.aborted)
    t.equal(textOf(cancelled), `Task ${taskId} is cancelled.`)
    t.equal(textOf(again), `Task ${taskId} had ended before: cancelled.`)
    const looked = await client.call('get_task_result', { taskId })
    t.match(looked.result, { isError: true, content: [{ text: 'report was cancelled by the client' }] })
  })

  t.test(`tasks: how a task failed is told to a client of ${version} as its tool would have told it`, async t => {
    const fails = later('fails', () => {
      throw new ToolError('There is no paper.')
    })
    const asks = later('asks', ctx => ctx.sample('model', { messages: [], maxTokens: 5 }))
    const { client } = await rack(t, version, [fails, asks])

    const looked = async (name: string) =>
      (await client.call('get_task_result', { taskId: idOf(await client.call(name)) })).result

    t.match(await looked('fails'), { isError: true, content: [{ text: 'There is no paper.' }] })
    t.match(await looked('asks'), { isError: true, content: [{ text: /^Missing required client capability/ }] })
  })

  t.test(`tasks: an id that nobody has is a failure that a client of ${version} can read`, async t => {
    const { report } = gatedReport()
    const { client } = await rack(t, version, [report])

    for (const name of ['get_task_result', 'cancel_task']) {
      const { result } = await client.call(name, { taskId: 'x'.repeat(32) })
      t.match(result, { isError: true, content: [{ text: /^There is no such task: / }] }, name)
    }
  })
}

t.test('tasks: a look at what has not ended within 10 s says how far it has come', async t => {
  const { report, started } = gatedReport()
  const { client } = await rack(t, '2026-07-28', [report])
  const taskId = idOf(await client.call('report'))
  await started
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())

  let hasEnded = false
  const looking = client.call('get_task_result', { taskId }).finally(() => {
    hasEnded = true
  })
  await turns()
  mock.timers.tick(9_999)
  await turns()
  const wasEarly = hasEnded
  mock.timers.tick(1)

  t.equal(
    textOf(await looking),
    `Task ${taskId} of report is working, which says: Reading (1 of 3). It has not ended: call get_task_result again.`,
  )
  t.notOk(wasEarly)
})

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

t.test('tasks: what a tool lets out as it is comes as it is', async t => {
  const raw = later('raw', () => 'a\u200bb', { sanitize: false })
  const clean = later('clean', () => 'a\u200bb')
  const { client } = await rack(t, '2026-07-28', [raw, clean])

  const looked = async (name: string) =>
    client.call('get_task_result', { taskId: idOf(await client.call(name)) }).then(textOf)

  t.equal(await looked('raw'), 'a\u200bb')
  t.equal(await looked('clean'), 'ab')
})

t.test('tasks: an optional tool runs within the request of a client that knows none', async t => {
  const optional = later('optional', () => 'done', { task: 'optional' })

  for (const version of VERSIONS) {
    const { client } = await rack(t, version, [optional])
    t.equal(textOf(await client.call('optional')), 'done', version)
  }
})

t.test('tasks: arguments that break the schema are told at once', async t => {
  const inputSchema = { type: 'object', additionalProperties: false } as const
  const strict = defineTool({ name: 'strict', task: 'required', inputSchema, handler: () => 'done' })
  const { client } = await rack(t, '2026-07-28', [strict], TOLD)

  t.match((await client.call('strict', { x: 1 })).result, { isError: true, content: [{ text: /^Invalid arguments/ }] })
})
