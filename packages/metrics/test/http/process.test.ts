// Servers of one process count apart, measure the process once, and leave nothing behind when they close.
import { createHook } from 'node:async_hooks'
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, callTool } from '../../../../test/support/app.ts'
import { counted, keysOf, parseSeries, seriesOf, textOf } from '../../../../test/support/metrics/series.ts'
import { createMetrics } from '../../src/metrics.ts'

const tool = (name: string) => defineTool({ name, handler: () => name })
const PARTS = { mask: (text: string) => text, tenantClaim: undefined }
const CALLS = 'toolrack_tool_calls_total'

t.test('metrics: two servers of one process count apart', async t => {
  const one = await build(t, { tools: [tool('one'), tool('both')] })
  const two = await build(t, { tools: [tool('two'), tool('both')] })

  for (const name of ['one', 'both', 'both']) await callTool(one, name)
  for (const name of ['two', 'both']) await callTool(two, name)

  t.strictSame(await counted(one, CALLS), [
    [{ tool: 'one', outcome: 'ok' }, 1],
    [{ tool: 'both', outcome: 'ok' }, 2],
  ])
  t.strictSame(await counted(two, CALLS), [
    [{ tool: 'two', outcome: 'ok' }, 1],
    [{ tool: 'both', outcome: 'ok' }, 1],
  ])
})

t.test(
  'metrics: of two servers one goes on when the other has closed, which shows nothing of itself any more',
  async t => {
    const one = await build(t, { tools: [tool('one')] })
    const two = await build(t, { tools: [tool('two')] })
    await callTool(one, 'one')
    await one.close()

    await callTool(two, 'two')

    t.strictSame(await counted(two, CALLS), [[{ tool: 'two', outcome: 'ok' }, 1]])
    t.notMatch(await one.toolrack.metrics(), /toolrack_/)
  },
)

t.test('metrics: of memory, CPU time and the event loop each server tells', async t => {
  const app = await build(t)

  const found = new Map((await seriesOf(app)).map(({ name, value }) => [name, value]))

  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total'])
    t.ok(found.get(name)! > 0, name)
  t.ok(found.has('nodejs_eventloop_lag_p99_seconds'))
  t.ok(Math.abs(found.get('process_start_time_seconds')! - Date.now() / 1000) < 600)
})

t.test(
  'metrics: a name ends in _total if it is a counter, and the event loop has its lag, not its utilization',
  async t => {
    const text = await textOf(await build(t))

    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)/gm))
      t.equal(name!.endsWith('_total'), type === 'counter', name!)
    t.notMatch(text, 'eventloop_utilization')
  },
)

t.test('metrics: the process is measured once, however many servers come and go', async t => {
  createMetrics(PARTS).close()
  const begun: string[] = []
  const hook = createHook({ init: (_id, type) => void begun.push(type) }).enable()
  t.teardown(() => hook.disable())

  for (let n = 0; n < 5; n++) createMetrics(PARTS).close()

  t.strictSame(
    begun.filter(type => /HISTOGRAM|PERFORMANCE|Timeout|Immediate/i.test(type)),
    [],
  )
})

t.test('metrics: each series is told once', async t => {
  const app = await build(t, { tools: [tool('one')] })
  await callTool(app, 'one')

  const keys = keysOf(parseSeries(await textOf(app)))

  t.equal(new Set(keys).size, keys.length)
})

t.test('metrics: what is looked at twice is counted once', async t => {
  const app = await build(t, { tools: [tool('one')] })
  await callTool(app, 'one')

  await Promise.all([textOf(app), textOf(app), textOf(app)])
  await callTool(app, 'one')

  t.strictSame(await counted(app, CALLS), [[{ tool: 'one', outcome: 'ok' }, 2]])
})
