// Where a request belongs in somebody's trace: what its message says, else what is around it. Spec:
// opentelemetry.io, "Semantic conventions for Model Context Protocol", "Context propagation"; W3C
// Trace Context; W3C Baggage.
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

/** W3C Baggage, 3.3: what is longer need not be carried on. */
const MAX_BAGGAGE_LENGTH = 8192

export interface ParentContext {
  readonly parent: Context
  /** What the request came over, where that is of another trace than its message. */
  readonly links: Link[]
}

// A trace that its client names in the message comes before that of the connection, which may be a
// proxy's.
export function extractParentContext({ meta, headers }: Exchange): ParentContext {
  const active = context.active()
  // A host app that traces HTTP has read the headers.
  const around = trace.getSpan(active) === undefined ? extract(ROOT_CONTEXT, headers) : active
  const told = extract(ROOT_CONTEXT, meta)
  if (trace.getSpanContext(told) === undefined) return { parent: extract(around, meta), links: [] }
  const ambient = trace.getSpanContext(around)
  return { parent: told, links: ambient === undefined ? [] : [{ context: ambient }] }
}

/** Of what runs after its request: under the request, with what its message carries. */
export const extractRunContext = ({ meta, traceparent }: Exchange): ParentContext => ({
  parent: extract(ROOT_CONTEXT, { ...meta, traceparent }),
  links: [],
})

/** @returns undefined where nothing is traced */
export function formatTraceparent(span: SpanContext): string | undefined {
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
    return typeof value === 'string' && value.length <= MAX_BAGGAGE_LENGTH ? value : undefined
  },
}

// The trace that a request belongs to, as its client says. W3C Trace Context, 3.2: traceparent.

// What a version after 00 adds at the end is not ours to know.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const MAX_TRACEPARENT_LENGTH = 256

/**
 * @param params of the message: its `_meta.traceparent` comes before the header, which may be the
 *   proxy's
 * @returns 32 hexadecimal digits; undefined where there is none that is valid
 */
export const findTraceId = (params: unknown, headers: Headers): string | undefined =>
  parseTraceId(findTraceparent(params, headers))

/** The same as it came: 'version-trace-parent-flags'. */
export function findTraceparent(params: unknown, headers: Headers): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  const own = isObject(meta) ? meta['traceparent'] : undefined
  if (typeof own === 'string' && parseTraceId(own) !== undefined) return own
  const around = getHeader(headers, 'traceparent')
  return parseTraceId(around) === undefined ? undefined : around
}

/** The log of a request that belongs to a trace: each line says so. */
export function withTraceId(log: Log, params: unknown, headers: Headers): Log {
  const traceId = findTraceId(params, headers)
  return traceId === undefined ? log : (log.child?.({ traceId }) ?? log)
}

/** The log of a request in a span, of which it may know the trace already. */
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
