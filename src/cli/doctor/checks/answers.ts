// How answers come: the Accept header, streams and proxies that hold them back, compression, the
// clock, and limits.
import type { Check, Patient } from '../finding.ts'
import { type HttpAnswer, HttpTimeout, type Sending } from '../http.ts'
import { isEventStream, type Reply, sendLegacy, sendModern, toHeaders } from '../mcp.ts'

const ACCEPTS = {
  both: 'application/json, text/event-stream',
  any: '*/*',
  JSON: 'application/json',
  SSE: 'text/event-stream',
}

/** The same harmless request, in the era that the server speaks. */
export const ask = ({ send, url, modern, session }: Patient, sending: Sending = {}): Promise<Reply> =>
  modern !== undefined || session === undefined
    ? sendModern(send, url, 'server/discover', {}, sending)
    : sendLegacy(send, url, session, 'ping', {}, sending)

export const checkAccept: Check = async patient => {
  const answers: string[] = []
  for (const [name, accept] of Object.entries(ACCEPTS)) {
    const reply = await ask(patient, { headers: { accept } })
    const kind = isEventStream(reply) ? 'SSE' : 'JSON'
    const isAnswered = reply.result !== undefined
    answers.push(`${name} → ${isAnswered ? kind : reply.status}`)
    if (name === 'both' && !isAnswered)
      patient.problem(
        `Accept: ${accept} is not answered (${reply.status}), and every client sends it`,
        'the proxy or the server must not choose by Accept',
      )
    if (isAnswered && name === 'JSON' && kind === 'SSE')
      patient.warn('Accept: application/json gets an event stream', 'answer what the client accepts')
  }
  patient.ok(`Accept: ${answers.join(', ')}`)
}

/** How long the first bytes of an open stream may take, ms. */
const FIRST_EVENT_MS = 4000

/** A stream stays open, so what comes before it ends has not been held back. */
export const checkStreaming: Check = async patient => {
  const { modern, session } = patient
  const until = (body: string) => body.trim() !== ''
  const bounds = { until, timeoutMs: FIRST_EVENT_MS }
  try {
    if (modern !== undefined) {
      const notifications = { toolsListChanged: true }
      const reply = await sendModern(patient.send, patient.url, 'subscriptions/listen', { notifications }, bounds)
      if (isEventStream(reply)) return reportStream(patient, reply)
    }
    if (session === undefined) return patient.ok('whether streams are held back cannot be told: it opens none')
    const headers = { accept: 'text/event-stream', ...toHeaders(session) }
    const reply = await patient.send(patient.url, { headers, ...bounds })
    if (isEventStream(reply)) return reportStream(patient, reply)
    patient.ok(`whether streams are held back cannot be told: GET is answered with ${reply.status}`)
  } catch (error) {
    if (!(error instanceof HttpTimeout)) throw error
    if (error.status !== undefined && modern === undefined) {
      patient.ok('opens a stream for a session; whether events are held back cannot be told, as none was due')
      return
    }
    patient.problem(
      `a stream shows nothing within ${FIRST_EVENT_MS / 1000} s: something between holds it back until it ends`,
      'turn buffering off for this path (nginx: proxy_buffering off; others: flush_interval, no CDN cache)',
    )
  }
}

function reportStream(patient: Patient, { headers, timing }: HttpAnswer): void {
  patient.ok(`a stream shows its first bytes after ${timing.firstByte} ms, while it is open`)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    patient.warn(
      `streams are compressed (${encoding}): some compressors hold events back`,
      'do not compress text/event-stream',
    )
  if (!/no-(?:cache|store)/.test(headers['cache-control'] ?? ''))
    patient.warn('streams have no Cache-Control: no-cache; a cache may keep them', 'send Cache-Control: no-cache')
}

const MAX_SKEW_S = 30

export const checkClock: Check = async patient => {
  const { headers, timing } = await ask(patient)
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return patient.ok('sends no Date, so its clock cannot be compared')
  const skew = Math.round((Date.now() - (timing.end ?? 0) / 2 - date) / 1000)
  if (Math.abs(skew) <= MAX_SKEW_S)
    return patient.ok(`its clock is within ${Math.max(Math.abs(skew), 1)} s of this one`)
  patient.warn(
    `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead of'} this one: tokens may be refused as expired`,
    'let NTP set both clocks',
  )
}

const LIMIT_HEADERS = /^(?:x-)?ratelimit(?:-(?:limit|remaining|reset|policy))?$|^retry-after$/

export const checkLimits: Check = async patient => {
  const { headers, status } = await ask(patient)
  const limits = Object.entries(headers).filter(([name]) => LIMIT_HEADERS.test(name))
  const text = limits.map(([name, value]) => `${name}: ${String(value).slice(0, 80)}`).join(', ')
  if (status === 429) patient.problem(`refuses requests as too many (${text})`, 'wait, or raise the limit')
  else patient.ok(limits.length === 0 ? 'says nothing of a rate limit' : text)
}
