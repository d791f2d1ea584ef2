// The trace that a request belongs to, as its client says. W3C Trace Context, 3.2: traceparent.
import { type Headers, headerOf } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'

// What a version after 00 adds at the end is not ours to know.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const MAX_LENGTH = 256

/**
 * @param params of the message: its `_meta.traceparent` comes before the header, which may be the proxy's
 * @returns 32 hexadecimal digits; undefined where there is none that is valid
 */
export function traceIdOf(params: unknown, headers: Headers): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  const own = isObject(meta) ? traceIdIn(meta['traceparent']) : undefined
  return own ?? traceIdIn(headerOf(headers, 'traceparent'))
}

function traceIdIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(value) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId!) ? traceId : undefined
}
