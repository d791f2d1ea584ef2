// A real OpenTelemetry SDK in the real server, and what arrives at a collector: the tree of a call, attribute by attribute.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { callOver } from '../../../../test/support/servers/own-process.ts'
import { CLIENT_SPAN, TRACE_ID, TRACEPARENT } from '../../../../test/support/tracing.ts'
import type { Collector, ReceivedSpan } from './collector.ts'
import { traced } from './traced.ts'

const childrenOf = ({ spans }: Collector, { spanId }: ReceivedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId)

/** As long as an id may be, whole on its span. */
const LONGEST_ID = 'r-7 '.repeat(256)

/** Another server, which is called by a tool. */
async function upstream(t: Test) {
  const seen: http.IncomingHttpHeaders[] = []
  const server = http.createServer((request, response) => {
    seen.push(request.headers)
    response.end('from upstream')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

t.test('a call, over a socket', async t => {
  const server = await traced(t, { OTEL_SERVICE_NAME: 'rack-1' })
  const { collector } = server

  t.test('tracing: the spans of a nested call are one tree, with the span of the client as its root', async t => {
    const { seen, url } = await upstream(t)
    const meta = { traceparent: TRACEPARENT, tracestate: 'rojo=1', baggage: 'user=alice' }

    const { body } = await callOver(server.url, 'nested', { upstream: url }, { id: LONGEST_ID, meta })

    t.equal(body.result.content[0].text, 'from upstream')
    const [call] = await collector.named('tools/call nested')
    const [run] = await collector.named('run')
    const [lookUp] = await collector.named('look up')
    const [outgoing] = await collector.named('GET')
    t.match(call, { kind: 2, traceId: TRACE_ID, parentSpanId: CLIENT_SPAN, traceState: 'rojo=1', links: [] })
    t.strictSame(call!.attributes, {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'nested',
      'jsonrpc.request.id': LONGEST_ID,
    })
    t.strictSame(call!.status, { code: 0 })
    t.match(run, { kind: 1, traceId: TRACE_ID, parentSpanId: call!.spanId, attributes: {} })
    t.ok(run!.durationMs >= 1 && run!.startedMs >= call!.startedMs)
    t.match(lookUp, { kind: 1, traceId: TRACE_ID, parentSpanId: call!.spanId })
    t.match(outgoing, {
      kind: 3,
      traceId: TRACE_ID,
      parentSpanId: lookUp!.spanId,
      attributes: { 'http.response.status_code': 200 },
    })
    t.match(seen, [
      { traceparent: `00-${TRACE_ID}-${outgoing!.spanId}-01`, tracestate: 'rojo=1', baggage: 'user=alice' },
    ])
    t.equal(collector.resources[0]!['service.name'], 'rack-1')
  })

  t.test('tracing: each line about the call has its request id and the trace id', async t => {
    const lines = server.lines.filter(({ msg }) => msg === 'tool log' || msg === 'audit').slice(0, 2)

    t.strictSame(
      lines.map(({ msg, traceId }) => [msg, traceId]),
      [
        ['tool log', TRACE_ID],
        ['audit', TRACE_ID],
      ],
    )
    t.equal(lines[0].requestId, lines[1].requestId)
  })

  t.test('tracing: where the client names no trace, the log names the one that begins here', async t => {
    await callOver(server.url, 'quick', {}, { id: 'alone' })

    const [span] = (await collector.named('tools/call quick')).filter(
      ({ attributes }) => attributes['jsonrpc.request.id'] === 'alone',
    )
    t.equal(span!.parentSpanId, undefined)
    t.equal(server.lines.findLast(({ msg, tool }) => msg === 'audit' && tool === 'quick').traceId, span!.traceId)
  })

  t.test('tracing: a tool that fails is an error of its span', async t => {
    await callOver(server.url, 'fails')

    const [span] = await collector.named('tools/call fails')
    t.match(span!.attributes, { 'error.type': 'tool_error', 'toolrack.outcome': 'tool_error' })
    t.notOk('rpc.response.status_code' in span!.attributes)
    t.strictSame(span!.status, { code: 2 })
    const threw = server.lines.find(({ msg }) => msg === 'tool threw')
    t.equal(threw.traceId, span!.traceId)
  })

  t.test('tracing: the context does not cross into the thread of an isolated tool', async t => {
    const { body } = await callOver(server.url, 'apart', {}, { meta: { traceparent: TRACEPARENT } })

    t.equal(body.result.content[0].text, `undefined ${TRACEPARENT}`)
    const [call] = await collector.named('tools/call apart')
    t.ok(childrenOf(collector, call!).some(({ name }) => name === 'run'))
  })

  t.test('tracing: steps are spans where they take over a millisecond', async t => {
    const rows = Array.from({ length: 1000 }, (_, a) => ({ a }))
    for (let call = 0; call < 20; call++) await callOver(server.url, 'quick')

    await callOver(server.url, 'laborious', { rows })

    const [call] = await collector.named('tools/call laborious')
    const quick = await collector.named('tools/call quick', 21)
    const names = childrenOf(collector, call!).map(({ name }) => name)
    t.ok(names.includes('validate') && names.includes('check output'), String(names))
    t.ok(quick.some(span => childrenOf(collector, span).length === 0))
    const steps = collector.spans.filter(({ name }) => ['validate', 'run', 'check output'].includes(name))
    t.ok(steps.every(({ durationMs }) => durationMs >= 0.99))
  })

  t.test(
    'tracing: durations are a histogram of the conventions, without what is another with each request',
    async t => {
      const metric = 'mcp.server.operation.duration'
      await until(
        () => collector.points(metric).some(({ attributes }) => attributes['gen_ai.tool.name'] === 'laborious'),
        'the metric was sent',
      )

      const points = collector.points(metric)
      const fails = points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'fails')
      t.equal(collector.unitOf(metric), 's')
      t.strictSame(fails!.explicitBounds, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300])
      t.strictSame(fails!.attributes, {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': '2026-07-28',
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'network.protocol.version': '1.1',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'fails',
        'error.type': 'tool_error',
        'toolrack.outcome': 'tool_error',
      })
      t.equal(points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'quick')!.count, 21)
    },
  )
})
