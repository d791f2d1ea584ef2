// A task runs after its request: its runs are spans of the same trace, under the request that made it.
import { propagation, trace } from '@opentelemetry/api'
import t from 'tap'
import { build, call } from '../../../../test/support/app.ts'
import { session } from '../../../../test/support/client/app-client.ts'
import { until } from '../../../../test/support/eventually.ts'
import { tool } from '../../../../test/support/steered-tools.ts'
import { CLIENT_SPAN, type Kept, newSpans, startSdk, TRACE_ID, TRACEPARENT } from '../../../../test/support/tracing.ts'

startSdk(t)

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const task = { task: 'optional' }
const seen: unknown[] = []

const tools = [
  tool(
    'lasting',
    async () => {
      await new Promise(done => setTimeout(done, 10))
      seen.push(propagation.getActiveBaggage()?.getEntry('user')?.value)
      trace.getTracer('of the tool').startSpan('within').end()
      return 'lasted'
    },
    task,
  ),
  tool(
    'fails',
    () => {
      throw new Error('no')
    },
    task,
  ),
  tool(
    'asks',
    async ctx => {
      await ctx.elicit('q', { message: '?', requestedSchema: { type: 'object', properties: {} } })
      return 'asked'
    },
    task,
  ),
]

t.beforeEach(() => void newSpans())

async function spansUntil(isEnough: (spans: Kept[]) => boolean): Promise<Kept[]> {
  const all: Kept[] = []
  await until(() => {
    all.push(...newSpans())
    return isEnough(all)
  }, 'the spans came')
  return all
}

const named = (spans: Kept[], name: string) => spans.find(span => span.name === name)

t.test('tracing: the run of a task is a span under its call, with what its handler starts', async t => {
  const app = await build(t, { tools, tasks: { inlineMs: 0 } })
  const meta = { traceparent: TRACEPARENT, baggage: 'user=alice' }

  await call(app, 'tools/call', { name: 'lasting', arguments: {} }, { id: 'c', capabilities: TASKS, meta })
  const spans = await spansUntil(all => named(all, 'task lasting') !== undefined)

  const asked = named(spans, 'tools/call lasting')!
  const run = named(spans, 'task lasting')!
  t.match(asked.parent, { traceId: TRACE_ID, spanId: CLIENT_SPAN })
  t.match(run.parent, { traceId: TRACE_ID, spanId: asked.context.spanId })
  t.equal(run.kind, 0)
  t.strictSame(run.attributes, {
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2026-07-28',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'lasting',
    'jsonrpc.request.id': 'c',
  })
  t.equal(named(spans, 'within')?.parent?.spanId, run.context.spanId)
  t.strictSame(seen, ['alice'])
})

t.test('tracing: a run that fails is an error of its span, and not of its call', async t => {
  const client = await session(t, { tools })

  await client.callTool('fails', {}, { task: {} })
  const spans = await spansUntil(all => named(all, 'task fails') !== undefined)

  t.equal(named(spans, 'tools/call fails')?.status.code, 0)
  t.match(named(spans, 'task fails'), { status: { code: 2 }, attributes: { 'error.type': 'tool_error' } })
})

t.test('tracing: a run that asks its client is no error, and of the trace that began with its call', async t => {
  const client = await session(t, { tools })
  const { app } = client

  const { result } = await client.callTool('asks', {}, { task: {} })
  const spans = await spansUntil(all => named(all, 'task asks') !== undefined)

  const asked = named(spans, 'tools/call asks')!
  const run = named(spans, 'task asks')!
  t.equal(result.task.status, 'working')
  t.match(run, { parent: { spanId: asked.context.spanId }, status: { code: 0 } })
  t.equal(asked.parent, undefined)
  const traceIds = app.audit.lines.filter(line => line.tool === 'asks').map(({ traceId }) => traceId)
  t.strictSame(traceIds, [asked.context.traceId])
})
