// Checks the form of answers: by the Accept and Content-Type of a request, their time, the clock,
// and limits.
import type { Check, Fault } from '../check-context.ts'
import { ask, initialize, LEGACY, type Reply } from '../mcp.ts'
import { isEventStream } from '../messages.ts'

const ACCEPTS = {
  both: 'application/json, text/event-stream',
  any: '*/*',
  JSON: 'application/json',
  SSE: 'text/event-stream',
}

const FAULTS = {
  accept: {
    id: 'accept',
    severity: 'problem',
    effect: 'Every client sends this header.',
    fix: 'the proxy or the server must not choose by Accept',
  },
  acceptJson: {
    id: 'accept-json',
    severity: 'warning',
    effect: 'A client that reads JSON only cannot read the answer.',
    fix: 'answer what the client accepts',
  },
  charset: {
    id: 'charset',
    severity: 'warning',
    effect: 'Clients in .NET and Java send a charset: they get no answer.',
    fix: 'take application/json with parameters',
  },
  clock: {
    id: 'clock',
    severity: 'warning',
    effect: 'Tokens may be refused as expired, or as not valid yet.',
    fix: 'let NTP set both clocks',
  },
  slow: {
    id: 'slow-handshake',
    severity: 'warning',
    effect: 'Clients connect at their start and wait 10 to 30 s for it; some begin without the tools before.',
    fix: 'answer the handshake at once; open databases and other services when they are needed',
  },
} as const satisfies Record<string, Fault>

export const checkAccept: Check = async context => {
  const answers: string[] = []
  for (const [name, accept] of Object.entries(ACCEPTS)) {
    const reply = await ask(context, { headers: { accept } })
    const kind = isEventStream(reply) ? 'SSE' : 'JSON'
    const isAnswered = reply.result !== undefined
    answers.push(`${name} → ${isAnswered ? kind : reply.status}`)
    if (name === 'both' && !isAnswered)
      context.report(FAULTS.accept, `Accept: ${accept} is not answered (${reply.status})`)
    if (isAnswered && name === 'JSON' && kind === 'SSE')
      context.report(FAULTS.acceptJson, 'Accept: application/json gets an event stream')
  }
  context.ok(`Accept: ${answers.join(', ')}`)
  const type = 'application/json; charset=utf-8'
  const { status, result } = await ask(context, { headers: { 'content-type': type } })
  if (result === undefined) context.report(FAULTS.charset, `Content-Type: ${type} is refused (${status})`)
}

/** With slower answers, users wait when their client starts. */
export const SLOW_MS = 3000

/** Measures twice, since a machine may be busy once. @returns the better time if both are slow */
export async function findSlowness({ timing }: Reply, again: () => Promise<Reply>): Promise<number | undefined> {
  if ((timing.end ?? 0) < SLOW_MS) return undefined
  const { end = 0 } = (await again()).timing
  return end < SLOW_MS ? undefined : Math.min(timing.end ?? 0, end)
}

export const checkTime: Check = async context => {
  const shake = () => (context.modern === undefined ? initialize(context, LEGACY[0]) : ask(context))
  const reply = await shake()
  const slowMs = await findSlowness(reply, shake)
  if (slowMs !== undefined) context.report(FAULTS.slow, `a handshake takes ${(slowMs / 1000).toFixed(1)} s`)
}

const MAX_SKEW_S = 30

export const checkClock: Check = async context => {
  const { headers, timing } = await ask(context)
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return context.ok('sends no Date, so its clock cannot be compared')
  const skew = Math.round((Date.now() - (timing.end ?? 0) / 2 - date) / 1000)
  if (Math.abs(skew) <= MAX_SKEW_S)
    return context.ok(`its clock is within ${Math.max(Math.abs(skew), 1)} s of this one`)
  context.report(FAULTS.clock, `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead of'} this one`)
}

const LIMIT_HEADERS = /^(?:x-)?ratelimit(?:-(?:limit|remaining|reset|policy))?$|^retry-after$/

export const checkLimits: Check = async context =>
  context.ok(describeLimits(await ask(context)) || 'says nothing of a rate limit')

export const describeLimits = ({ headers }: Pick<Reply, 'headers'>): string =>
  Object.entries(headers)
    .filter(([name]) => LIMIT_HEADERS.test(name))
    .map(([name, value]) => `${name}: ${String(value).slice(0, 80)}`)
    .join(', ')
