// Where a request belongs in somebody's trace: what its message says, else what is around it.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol", "Context propagation"; W3C Trace Context; W3C Baggage.
import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import type { Exchange } from '../exchange.ts'

/** W3C Baggage, 3.3: what is longer need not be carried on. */
const MAX_LENGTH = 8192

export interface Lineage {
  readonly parent: Context
  /** What the request came over, where that is of another trace than its message. */
  readonly links: Link[]
}

// A trace that its client names in the message comes before that of the connection, which may be a proxy's.
export function lineageOf({ meta, headers }: Exchange): Lineage {
  const active = context.active()
  // A host app that traces HTTP has read the headers.
  const around = trace.getSpan(active) === undefined ? extract(ROOT_CONTEXT, headers) : active
  const told = extract(ROOT_CONTEXT, meta)
  if (trace.getSpanContext(told) === undefined) return { parent: extract(around, meta), links: [] }
  const ambient = trace.getSpanContext(around)
  return { parent: told, links: ambient === undefined ? [] : [{ context: ambient }] }
}

/** Of what runs after its request: under the request, with what its message carries. */
export const lineageOfRun = ({ meta, traceparent }: Exchange): Lineage => ({
  parent: extract(ROOT_CONTEXT, { ...meta, traceparent }),
  links: [],
})

/** @returns undefined where nothing is traced */
export function traceparentOf(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

type Carrier = Readonly<Record<string, unknown>>

const extract = (base: Context, carrier: Carrier): Context => propagation.extract(base, carrier, GETTER)

// Whatever a client may send in its place is none.
const GETTER: TextMapGetter<Carrier> = {
  keys: carrier => Object.keys(carrier),
  get(carrier, key) {
    const value = carrier[key]
    return typeof value === 'string' && value.length <= MAX_LENGTH ? value : undefined
  },
}
