// Which of the two content types a client takes. Spec 2026-07-28: basic/transports/streamable-http, "Sending Messages".

export interface Accepted {
  readonly json: boolean
  readonly sse: boolean
}

const BOTH: Accepted = Object.freeze({ json: true, sse: true })
const USUAL = 'application/json, text/event-stream'

/** Without an Accept header, everything is accepted (RFC 9110, 12.5.1). */
export function accepted(header: string | undefined): Accepted {
  if (header === undefined || header === USUAL || header === '*/*') return BOTH
  const types = header
    .split(',')
    .filter(isWanted)
    .map(part => part.split(';')[0]!.trim().toLowerCase())
  const any = types.includes('*/*')
  return {
    json: any || types.includes('application/json') || types.includes('application/*'),
    sse: any || types.includes('text/event-stream') || types.includes('text/*'),
  }
}

const isWanted = (part: string) => !/;\s*q=0(?:\.0{0,3})?\s*(?:;|$)/i.test(part)
