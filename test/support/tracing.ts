// A real SDK in the process of the test, as a host app starts one. Its spans are kept here.
import { type Attributes, context, metrics, propagation, type SpanContext, trace } from '@opentelemetry/api'
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node'
import type { Test } from 'tap'

type Processor = NonNullable<NodeSDKConfiguration['spanProcessors']>[number]
type Ended = Parameters<Processor['onEnd']>[0]

export interface Kept {
  readonly name: string
  readonly kind: number
  readonly parent: SpanContext | undefined
  readonly context: SpanContext
  readonly attributes: Attributes
  readonly links: readonly SpanContext[]
  readonly status: { readonly code: number; readonly message?: string | undefined }
}

/** What a client is in the middle of. */
export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
export const CLIENT_SPAN = 'b7ad6b7169203331'
export const TRACEPARENT = `00-${TRACE_ID}-${CLIENT_SPAN}-01`
/** What its proxy is in the middle of. */
export const PROXY_TRACE = '1'.repeat(32)
export const PROXY_SPAN = '2'.repeat(16)
export const PROXY_TRACEPARENT = `00-${PROXY_TRACE}-${PROXY_SPAN}-01`

const ended: Ended[] = []

const keeper: Processor = {
  onStart: () => {},
  onEnd: span => void ended.push(span),
  forceFlush: async () => {},
  shutdown: async () => {},
}

/** To be called before a server is made. Ends with the test, and the process is then as before. */
export function startSdk(t: Test): void {
  const sdk = new NodeSDK({
    autoDetectResources: false,
    spanProcessors: [keeper],
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  t.teardown(async () => {
    await sdk.shutdown()
    for (const api of [trace, context, propagation, metrics]) api.disable()
  })
}

/** The spans that have ended since the last look. */
export const newSpans = (): Kept[] =>
  ended.splice(0).map(span => ({
    name: span.name,
    kind: span.kind,
    parent: span.parentSpanContext,
    context: span.spanContext(),
    attributes: span.attributes,
    links: span.links.map(({ context }) => context),
    status: span.status,
  }))

/** The one of them that is a request's; its steps may be spans too. */
export function newRequest(): Kept {
  const requests = newSpans().filter(({ attributes }) => 'mcp.method.name' in attributes)
  if (requests.length !== 1) throw new Error(`expected one request, got ${requests.map(({ name }) => name)}`)
  return requests[0]!
}
