// Finds a request's trace: from its message, else from its headers or the host app.
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
import { getHeader, type Headers } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import type { Exchange, Log } from '../request/exchange.ts'

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

// Later versions than 00 may append fields. W3C Trace Context, 3.2: traceparent.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const MAX_TRACEPARENT_LENGTH = 256

/**
 * @param params of the message: its `_meta.traceparent` takes precedence over the header
 * @returns 32 hexadecimal digits; undefined without a valid one
 */
export const findTraceId = (params: unknown, headers: Headers): string | undefined =>
  parseTraceId(findTraceparent(params, headers))

/** The valid traceparent as received: 'version-trace-parent-flags'. */
export function findTraceparent(params: unknown, headers: Headers): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  const own = isObject(meta) ? meta['traceparent'] : undefined
  if (typeof own === 'string' && parseTraceId(own) !== undefined) return own
  const around = getHeader(headers, 'traceparent')
  return parseTraceId(around) === undefined ? undefined : around
}

/** Adds the trace id to each log line of a traced request. */
export function withTraceId(log: Log, params: unknown, headers: Headers): Log {
  const traceId = findTraceId(params, headers)
  return traceId === undefined ? log : (log.child?.({ traceId }) ?? log)
}

/** Adds the span's trace id, unless the request's log already has it. */
export function withSpanTraceId({ log, params, headers }: TracedLogParts, traceparent: string | undefined): Log {
  const traceId = parseTraceId(traceparent)
  if (traceId === undefined || traceId === findTraceId(params, headers)) return log
  return log.child?.({ traceId }) ?? log
}

type TracedLogParts = Pick<Exchange, 'log' | 'params' | 'headers'>

export function parseTraceId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TRACEPARENT_LENGTH) return undefined
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(value) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId!) ? traceId : undefined
}
