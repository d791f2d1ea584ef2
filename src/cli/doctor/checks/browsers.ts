// What pages in a browser may do: CORS for those that are to use the server, and refusals for others.
// Spec 2026-07-28: basic/transports, "Security Warning".
import { isLoopback } from '../../../config/addresses.ts'
import type { Check } from '../finding.ts'
import { ask } from './answers.ts'

/** Under .example no page is ever served. */
const FOREIGN = 'https://page.example'
const NEEDED = [
  'content-type',
  'authorization',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
]

export const checkCors: Check = async patient => {
  const origin = patient.origin ?? FOREIGN
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': NEEDED.join(','),
  }
  const reply = await patient.send(patient.url, { method: 'OPTIONS', headers, isAnonymous: true })
  const allowed = reply.headers['access-control-allow-origin']
  const isAllowed = (allowed === '*' || allowed === origin) && reply.status < 300
  if (!isAllowed) {
    const seen = `pages of ${origin} cannot use it (preflight: ${reply.status})`
    if (patient.origin === undefined) return patient.ok(`${seen}; --origin checks the page that is to use it`)
    return patient.problem(seen, 'allow the origin (Toolrack: ALLOWED_ORIGINS), and let OPTIONS pass without a token')
  }
  if (allowed !== '*' && reply.headers['access-control-allow-credentials'] === 'true' && patient.origin === undefined)
    patient.warn('every page may send the cookies of its user', 'allow only the origins that are to use the server')
  const given = (reply.headers['access-control-allow-headers'] ?? '').toLowerCase().split(/\s*,\s*/)
  // The asterisk does not cover Authorization. Fetch standard, "CORS-preflight fetch".
  const missing = NEEDED.filter(name => !given.includes(name) && !(given.includes('*') && name !== 'authorization'))
  if (missing.length > 0)
    return patient.warn(
      `pages of ${origin} may connect, but not send ${missing.join(', ')}`,
      'add them to Access-Control-Allow-Headers',
    )
  patient.ok(`pages of ${origin} may use it`)
}

export const checkOrigin: Check = async patient => {
  const { status, result } = await ask(patient, { headers: { origin: FOREIGN } })
  if (result === undefined) return patient.ok(`a request of a foreign page (Origin: ${FOREIGN}) is refused (${status})`)
  patient.warn(
    `a request of a foreign page (Origin: ${FOREIGN}) is served; the specification asks servers to check Origin`,
    'refuse unknown origins with 403 (Toolrack: ALLOWED_ORIGINS)',
  )
}

/** On this machine any web page could reach the server under a name of its own (DNS rebinding). */
export const checkHost: Check = async patient => {
  if (!isLoopback(patient.url.hostname)) return
  const { status, result } = await ask(patient, { headers: { host: 'page.example' } })
  if (result === undefined)
    return patient.ok(`a request under another name (Host: page.example) is refused (${status})`)
  patient.warn(
    'a request under another name (Host: page.example) is served: web pages can reach it by DNS rebinding',
    'refuse unknown hosts (Toolrack: ALLOWED_HOSTS)',
  )
}
