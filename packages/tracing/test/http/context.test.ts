// Whose trace a request belongs to: that of its message, else that of the connection.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol", "Context propagation".
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, call } from '../../../../test/support/app.ts'
import {
  CLIENT_SPAN,
  newRequest,
  newSpans,
  PROXY_SPAN,
  PROXY_TRACE,
  PROXY_TRACEPARENT,
  startSdk,
  TRACE_ID,
  TRACEPARENT,
} from '../../../../test/support/tracing.ts'

startSdk(t)

const baggage = defineTool({
  name: 'baggage',
  handler: () =>
    (propagation.getActiveBaggage()?.getAllEntries() ?? []).map(([key, { value }]) => `${key}=${value}`).join() || '-',
})
const span = defineTool({ name: 'span', handler: () => trace.getActiveSpan()?.spanContext().spanId ?? '-' })

const app = await build(t, { tools: [baggage, span] })
const ask = (options: Parameters<typeof call>[3]) => call(app, 'tools/list', {}, options)

t.beforeEach(() => void newSpans())

t.test('tracing: the parent is the span that the message names, and that of the header is linked', async t => {
  await ask({ meta: { traceparent: TRACEPARENT }, headers: { traceparent: PROXY_TRACEPARENT } })

  const { parent, links, context } = newRequest()
  t.match(parent, { traceId: TRACE_ID, spanId: CLIENT_SPAN, isRemote: true })
  t.equal(context.traceId, TRACE_ID)
  t.match(links, [{ traceId: PROXY_TRACE, spanId: PROXY_SPAN }])
  t.equal(links.length, 1)
})

t.test('tracing: where the message names none it is that of the header, and nothing is linked', async t => {
  await ask({ headers: { traceparent: PROXY_TRACEPARENT, tracestate: 'congo=t61' } })

  const { parent, links, context } = newRequest()
  t.match(parent, { traceId: PROXY_TRACE, spanId: PROXY_SPAN })
  t.equal(context.traceState?.serialize(), 'congo=t61')
  t.strictSame(links, [])
})

t.test('tracing: a server that is called without any begins a trace', async t => {
  await ask({})

  const { parent, links, context } = newRequest()
  t.equal(parent, undefined)
  t.strictSame(links, [])
  t.match(context.traceId, /^(?!0{32})[0-9a-f]{32}$/)
})

const MALFORMED = [
  TRACEPARENT.toUpperCase().replace('-01', '-01-x'),
  `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01`,
  `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
  `ff-${TRACE_ID}-${CLIENT_SPAN}-01`,
  `00-${TRACE_ID}-01`,
  '',
  7,
  null,
  { a: 1 },
  ['00'],
  'x'.repeat(100_000),
]

t.test('tracing: a traceparent in the message that is malformed is none, and the header counts', async t => {
  for (const traceparent of MALFORMED) {
    await ask({
      meta: { traceparent, tracestate: 7, baggage: { a: 1 } },
      headers: { traceparent: PROXY_TRACEPARENT },
    })

    const { parent, links } = newRequest()
    t.match(parent, { traceId: PROXY_TRACE, spanId: PROXY_SPAN }, String(traceparent).slice(0, 60))
    t.strictSame(links, [])
  }
})

t.test('tracing: a malformed header begins a trace', async t => {
  await ask({ headers: { traceparent: `${TRACEPARENT}, ${TRACEPARENT}` } })

  t.equal(newRequest().parent, undefined)
})

t.test('tracing: what a client does not have sampled is not recorded, and is told on as it is', async t => {
  const unsampled = TRACEPARENT.replace(/01$/, '00')
  const carried: Record<string, string> = {}
  const relay = defineTool({
    name: 'relay',
    handler: () => {
      propagation.inject(context.active(), carried)
      return 'ok'
    },
  })
  const app = await build(t, { tools: [relay] })

  await call(app, 'tools/call', { name: 'relay', arguments: {} }, { meta: { traceparent: unsampled } })

  t.strictSame(newSpans(), [])
  t.match(carried['traceparent'], new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`))
  t.notMatch(carried['traceparent'], CLIENT_SPAN)
})

t.test(
  'tracing: baggage of the message reaches the handler, else that of the header, if it is not too long',
  async t => {
    const asked = async (options: Parameters<typeof call>[3]) =>
      (await call(app, 'tools/call', { name: 'baggage', arguments: {} }, options)).result.content[0].text

    t.equal(await asked({ meta: { baggage: 'user=alice' }, headers: { baggage: 'user=proxy' } }), 'user=alice')
    t.equal(await asked({ headers: { baggage: 'user=proxy' } }), 'user=proxy')
    t.equal(await asked({ meta: { traceparent: TRACEPARENT }, headers: { baggage: 'user=proxy' } }), '-')
    const many = Array.from({ length: 9 }, (_, index) => `k${index}=${'x'.repeat(1000)}`)
    t.match(await asked({ meta: { baggage: ['user=alice', ...many.slice(5)].join() } }), /^user=alice,k5=x/)
    t.equal(await asked({ meta: { baggage: ['user=alice', ...many].join() } }), '-')
  },
)

t.test('tracing: the handler runs in the span of its call', async t => {
  const { result } = await call(app, 'tools/call', { name: 'span', arguments: {} })

  t.equal(result.content[0].text, newRequest().context.spanId)
})

t.test('tracing: the span of a host app that traces HTTP is the parent, or linked', async t => {
  const http = trace.getTracer('http').startSpan('POST')
  const within = <T>(work: () => T) => context.with(trace.setSpan(ROOT_CONTEXT, http), work)

  await within(() => ask({ headers: { traceparent: PROXY_TRACEPARENT } }))
  const beneath = newRequest()
  await within(() => ask({ meta: { traceparent: TRACEPARENT }, headers: { traceparent: PROXY_TRACEPARENT } }))
  const beside = newRequest()

  t.equal(beneath.parent?.spanId, http.spanContext().spanId)
  t.equal(beside.parent?.spanId, CLIENT_SPAN)
  t.match(beside.links, [{ spanId: http.spanContext().spanId }])
})
