// A receiver of OTLP over HTTP in JSON, as a collector is one: what a real SDK sends, as flat as a test wants it.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { until } from '../../../../test/support/eventually.ts'

type Value = string | number | boolean

export interface ReceivedSpan {
  readonly name: string
  /** As OTLP has it: 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceState: string | undefined
  readonly attributes: Readonly<Record<string, Value>>
  readonly links: readonly { traceId: string; spanId: string }[]
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string }
  /** Unix time. */
  readonly startedMs: number
  readonly durationMs: number
}

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, Value>>
  readonly count: number
  readonly sum: number
  readonly explicitBounds: readonly number[]
}

export interface Collector {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Of what sends: service.name and so on. */
  readonly resources: readonly Readonly<Record<string, Value>>[]
  /** The points of the newest export of a metric. */
  points(metric: string): readonly ReceivedPoint[]
  unitOf(metric: string): string | undefined
  /** The spans with that name, as soon as there are so many. */
  named(name: string, count?: number): Promise<ReceivedSpan[]>
}

/** Ends with the test. */
export async function collector(t: Test): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const resources: Record<string, Value>[] = []
  const metrics = new Map<string, Raw>()
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      resources.push(flat(resource.attributes))
      for (const scope of scopeSpans) spans.push(...scope.spans.map(spanOf))
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      for (const scope of scopeMetrics) for (const metric of scope.metrics) metrics.set(metric.name, metric)
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    points: name => (metrics.get(name)?.histogram.dataPoints ?? []).map(pointOf),
    unitOf: name => metrics.get(name)?.unit,
    async named(name, count = 1) {
      const found = () => spans.filter(span => span.name === name)
      await until(() => found().length >= count, `${count} spans ${name}`)
      return found()
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP as it comes
type Raw = any

const spanOf = (raw: Raw): ReceivedSpan => ({
  name: raw.name,
  kind: raw.kind,
  traceId: raw.traceId,
  spanId: raw.spanId,
  parentSpanId: raw.parentSpanId || undefined,
  traceState: raw.traceState || undefined,
  attributes: flat(raw.attributes),
  links: (raw.links ?? []).map(({ traceId, spanId }: Raw) => ({ traceId, spanId })),
  status: raw.status ?? {},
  startedMs: Number(raw.startTimeUnixNano) / 1e6,
  durationMs: (Number(raw.endTimeUnixNano) - Number(raw.startTimeUnixNano)) / 1e6,
})

const pointOf = (raw: Raw): ReceivedPoint => ({
  attributes: flat(raw.attributes),
  count: Number(raw.count),
  sum: raw.sum,
  explicitBounds: raw.explicitBounds,
})

function flat(attributes: readonly { key: string; value: Raw }[] = []): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value)]))
}

function plainOf({ stringValue, intValue, doubleValue, boolValue }: Raw): Value {
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue)
}
