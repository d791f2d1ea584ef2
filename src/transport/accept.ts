// Parses `Accept`: which of the two content types the client accepts, and which it prefers.
// Spec 2026-07-28: basic/transports/streamable-http, "Sending Messages".
import type { Headers } from '../protocol/headers.ts'

export interface AcceptedTypes {
  readonly json: boolean
  readonly sse: boolean
  /** It names SSE, or `text/*`. Clients that read JSON send `any type` by default. */
  readonly namesSse: boolean
  /** SSE has the higher weight, or comes first at equal weights, or is the only accepted type. */
  readonly prefersSse: boolean
}

const ACCEPTS_BOTH: AcceptedTypes = Object.freeze({ json: true, sse: true, namesSse: true, prefersSse: false })
const ACCEPTS_ALL: AcceptedTypes = Object.freeze({ ...ACCEPTS_BOTH, namesSse: false })
const USUAL_ACCEPT = 'application/json, text/event-stream'

/** The most specific first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*']
const SSE_RANGES = ['text/event-stream', 'text/*', '*/*']

interface MediaRange {
  readonly range: string
  readonly weight: number
}

/** Without an Accept header, everything is accepted (RFC 9110, 12.5.1). */
export function parseAccept(header: string | undefined): AcceptedTypes {
  if (header === USUAL_ACCEPT) return ACCEPTS_BOTH
  if (header === undefined || header === '*/*') return ACCEPTS_ALL
  const ranges = header.split(',').map(toMediaRange)
  const [json, sse] = [findRange(ranges, JSON_RANGES), findRange(ranges, SSE_RANGES)]
  const [jsonWeight, sseWeight] = [json?.weight ?? 0, sse?.weight ?? 0]
  const isFirst = sseWeight === jsonWeight && ranges.indexOf(sse!) < ranges.indexOf(json!)
  const acceptsSse = sseWeight > 0
  return {
    json: jsonWeight > 0,
    sse: acceptsSse,
    namesSse: acceptsSse && sse?.range !== '*/*',
    prefersSse: acceptsSse && (sseWeight > jsonWeight || isFirst),
  }
}

/** The most specific range counts, even if another has a higher weight. RFC 9110, 12.5.1. */
function findRange(ranges: readonly MediaRange[], names: readonly string[]): MediaRange | undefined {
  const name = names.find(each => ranges.some(({ range }) => range === each))
  return ranges.find(({ range }) => range === name)
}

/**
 * Whether a browser asks for a page: it names `text/html`, and neither type of the endpoint. A
 * client of a session may name whatever it likes.
 */
export function acceptsPage({ accept, 'mcp-session-id': session }: Headers): boolean {
  if (typeof accept !== 'string' || session !== undefined) return false
  const ranges = accept.split(',').map(toMediaRange)
  const names = new Set(ranges.flatMap(({ range, weight }) => (weight > 0 ? [range] : [])))
  return names.has('text/html') && !names.has('application/json') && !names.has('text/event-stream')
}

const toMediaRange = (part: string): MediaRange => ({
  range: part.split(';', 1)[0]!.trim().toLowerCase(),
  weight: parseWeight(part),
})

function parseWeight(part: string): number {
  const [, weight] = /;\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(part) ?? []
  return weight === undefined ? 1 : Number(weight)
}
