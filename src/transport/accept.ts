// Parses `Accept`: which of the two content types the client accepts, and which it prefers.
// Spec 2026-07-28: basic/transports/streamable-http, "Sending Messages".

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

function parseWeight(part: string): number {
  const [, weight] = /;\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(part) ?? []
  return weight === undefined ? 1 : Number(weight)
}
