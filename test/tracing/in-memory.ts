// A real SDK in the process of the test, as a host app starts one. Its spans are kept here.
import type { Attributes, SpanContext } from '@opentelemetry/api'
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node'

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

const ended: Ended[] = []

const keeper: Processor = {
  onStart: () => {},
  onEnd: span => void ended.push(span),
  forceFlush: async () => {},
  shutdown: async () => {},
}

/** To be called before a server is made. */
export function startSdk(): void {
  new NodeSDK({
    autoDetectResources: false,
    spanProcessors: [keeper],
    metricReaders: [],
    logRecordProcessors: [],
  }).start()
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
