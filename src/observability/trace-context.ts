// Reads the id of a request's trace: from its message, else from its headers. Spec: W3C Trace Context.
import { getHeader, type Headers } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import type { Log } from '../request/exchange.ts'

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

export function parseTraceId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TRACEPARENT_LENGTH) return undefined
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(value) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId!) ? traceId : undefined
}
