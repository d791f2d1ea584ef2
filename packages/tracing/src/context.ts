// Finds a request's parent span: from its message, else from its headers or the host app.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol", "Context propagation";
// W3C Trace Context; W3C Baggage.
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
import type { Exchange, Log } from 'toolrack/protocol'
import { findTraceId, parseTraceId } from 'toolrack/records'

/** W3C Baggage, 3.3: longer values need not be propagated. */
const MAX_BAGGAGE_LENGTH = 8192

export interface ParentContext {
  readonly parent: Context
  /** The trace of the connection, if it differs from the message's. */
  readonly links: Link[]
}

// The message's trace takes precedence over the connection's, which may be a proxy's.
export function extractParentContext({ meta, headers }: Exchange): ParentContext {
  const active = context.active()
  // A host app that traces HTTP has already read the headers.
  const around = trace.getSpan(active) === undefined ? extract(ROOT_CONTEXT, headers) : active
  const told = extract(ROOT_CONTEXT, meta)
  if (trace.getSpanContext(told) === undefined) return { parent: extract(around, meta), links: [] }
  const ambient = trace.getSpanContext(around)
  return { parent: told, links: ambient === undefined ? [] : [{ context: ambient }] }
}

/** For a run after its request has ended: child of the request, with its message's baggage. */
export const extractRunContext = ({ meta, traceparent }: Exchange): ParentContext => ({
  parent: extract(ROOT_CONTEXT, { ...meta, traceparent }),
  links: [],
})

/** @returns undefined if nothing is traced */
export function formatTraceparent(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

type Carrier = Readonly<Record<string, unknown>>

const extract = (base: Context, carrier: Carrier): Context => propagation.extract(base, carrier, GETTER)

// Values of other types are ignored.
const GETTER: TextMapGetter<Carrier> = {
  keys: carrier => Object.keys(carrier),
  get(carrier, key) {
    const value = carrier[key]
    return typeof value === 'string' && value.length <= MAX_BAGGAGE_LENGTH ? value : undefined
  },
}

/** Adds the span's trace id, unless the request's log already has it. */
export function withSpanTraceId({ log, params, headers }: TracedLogParts, traceparent: string | undefined): Log {
  const traceId = parseTraceId(traceparent)
  if (traceId === undefined || traceId === findTraceId(params, headers)) return log
  return log.child?.({ traceId }) ?? log
}

type TracedLogParts = Pick<Exchange, 'log' | 'params' | 'headers'>
