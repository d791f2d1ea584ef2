// The real server with a real SDK, which exports to a collector of the test; and the tools that it serves.
import type { Test } from 'tap'
import { type Process, serve } from '../../../../test/support/servers/own-process.ts'
import { type Collector, collector } from './collector.ts'

const API = import.meta.resolve('@opentelemetry/api')

const TOOLS = `
import { context, propagation, SpanKind, trace } from '${API}'

const tracer = trace.getTracer('of the tool')
const wait = ms => new Promise(done => setTimeout(done, ms))

export default [
  {
    name: 'nested',
    inputSchema: { type: 'object', properties: { upstream: { type: 'string' } } },
    handler: ({ upstream }, ctx) => tracer.startActiveSpan('look up', async span => {
      ctx.log.info('looking')
      const answer = await tracer.startActiveSpan('GET', { kind: SpanKind.CLIENT }, async outgoing => {
        const headers = {}
        propagation.inject(context.active(), headers)
        const response = await fetch(upstream, { headers })
        outgoing.setAttribute('http.response.status_code', response.status)
        outgoing.end()
        return response.text()
      })
      await wait(5)
      span.end()
      return answer
    }),
  },
  { name: 'quick', handler: () => 'quick' },
  { name: 'fails', handler: () => { throw new Error('no') } },
  {
    name: 'laborious',
    inputSchema: { type: 'object', properties: { rows: { type: 'array', maxItems: 1000, uniqueItems: true } } },
    outputSchema: { type: 'object', properties: { rows: { type: 'array', maxItems: 1000, uniqueItems: true } } },
    handler: ({ rows }) => ({ rows }),
  },
  { name: 'apart', isolate: true, handler: (_args, ctx) => [String(trace.getActiveSpan()), ctx.meta.traceparent].join(' ') },
  {
    name: 'slow',
    handler: async (_args, ctx) => { ctx.log.info('begun'); await wait(600); return 'slow' },
  },
  {
    name: 'lasting',
    task: 'optional',
    handler: async () => {
      await wait(200)
      return tracer.startActiveSpan('within the task', span => { span.end(); return 'lasted' })
    },
  },
]
`

export interface Traced extends Process {
  readonly collector: Collector
}

export async function traced(t: Test, environment: Record<string, string> = {}): Promise<Traced> {
  const received = await collector(t)
  const server = await serve(t, { 'tools.mjs': TOOLS }, { ...settingsFor(received), ...environment })
  return Object.assign(server, { collector: received })
}

export const settingsFor = ({ url }: Pick<Collector, 'url'>): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
  OTEL_METRIC_EXPORT_TIMEOUT: '200',
})
