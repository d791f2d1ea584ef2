// The trace that a request belongs to, as its client says. W3C Trace Context, 3.2: traceparent.
import type { Exchange, Log } from '../exchange.ts'
import { type Headers, headerOf } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'

// What a version after 00 adds at the end is not ours to know.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const MAX_LENGTH = 256

/**
 * @param params of the message: its `_meta.traceparent` comes before the header, which may be the proxy's
 * @returns 32 hexadecimal digits; undefined where there is none that is valid
 */
export const traceIdOf = (params: unknown, headers: Headers): string | undefined =>
  traceIdIn(traceparentIn(params, headers))

/** The same as it came: 'version-trace-parent-flags'. */
export function traceparentIn(params: unknown, headers: Headers): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  const own = isObject(meta) ? meta['traceparent'] : undefined
  if (typeof own === 'string' && traceIdIn(own) !== undefined) return own
  const around = headerOf(headers, 'traceparent')
  return traceIdIn(around) === undefined ? undefined : around
}

/** The log of a request that belongs to a trace: each line says so. */
export function logOf(log: Log, params: unknown, headers: Headers): Log {
  const traceId = traceIdOf(params, headers)
  return traceId === undefined ? log : (log.child?.({ traceId }) ?? log)
}

/** The log of a request in a span, of which it may know the trace already. */
export function logIn({ log, params, headers }: LogParts, traceparent: string | undefined): Log {
  const traceId = traceIdIn(traceparent)
  if (traceId === undefined || traceId === traceIdOf(params, headers)) return log
  return log.child?.({ traceId }) ?? log
}

type LogParts = Pick<Exchange, 'log' | 'params' | 'headers'>

export function traceIdIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(value) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId!) ? traceId : undefined
}
