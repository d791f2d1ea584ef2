// Parses `Accept`: which of the two content types the client accepts, and which it prefers.
// Spec 2026-07-28: basic/transports/streamable-http, "Sending Messages".
import type { Headers } from '../protocol/headers.ts'

export interface AcceptedTypes {
  readonly json: boolean
  readonly sse: boolean
  /** SSE has the higher weight, or comes first at equal weights, or is the only accepted type. */
  readonly prefersSse: boolean
}

const ACCEPTS_BOTH: AcceptedTypes = Object.freeze({ json: true, sse: true, prefersSse: false })
const USUAL_ACCEPT = 'application/json, text/event-stream'

const JSON_RANGES = ['application/json', 'application/*', '*/*']
const SSE_RANGES = ['text/event-stream', 'text/*', '*/*']

/** Without an Accept header, everything is accepted (RFC 9110, 12.5.1). */
export function parseAccept(header: string | undefined): AcceptedTypes {
  if (header === undefined || header === USUAL_ACCEPT || header === '*/*') return ACCEPTS_BOTH
  const ranges = header
    .split(',')
    .map(part => ({ range: part.split(';')[0]!.trim().toLowerCase(), weight: parseWeight(part) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const json = ranges.findIndex(({ range }) => JSON_RANGES.includes(range))
  const sse = ranges.findIndex(({ range }) => SSE_RANGES.includes(range))
  return { json: json >= 0, sse: sse >= 0, prefersSse: sse >= 0 && (json < 0 || sse < json) }
}

/**
 * Whether a browser asks for a page: it names `text/html`, and neither type of the endpoint. A
 * client of a session may name whatever it likes.
 */
export function acceptsPage({ accept, 'mcp-session-id': session }: Headers): boolean {
  if (typeof accept !== 'string' || session !== undefined) return false
  const ranges = accept.split(',').filter(part => parseWeight(part) > 0)
  const names = new Set(ranges.map(part => part.split(';')[0]!.trim().toLowerCase()))
  return names.has('text/html') && !names.has('application/json') && !names.has('text/event-stream')
}

function parseWeight(part: string): number {
  const [, weight] = /;\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(part) ?? []
  return weight === undefined ? 1 : Number(weight)
}
