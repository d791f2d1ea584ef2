// Checks what web pages may do: CORS for pages that will use the server, and refusals for others.
// Spec 2026-07-28: basic/transports, "Security Warning".
import { isLoopback } from 'toolrack/settings'
import type { Check, CheckContext, Fault } from '../check-context.ts'
import type { HttpAnswer } from '../http.ts'
import { ask, initialize, LEGACY } from '../mcp.ts'
import { isRefusal } from './access.ts'

/** Pages never exist under .example. */
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
const PAGES = 'A client in a browser cannot connect.'

const FAULTS = {
  preflight: {
    id: 'cors-preflight',
    severity: 'problem',
    effect: PAGES,
    fix: 'allow the origin (Toolrack: ALLOWED_ORIGINS), and let OPTIONS pass without a token',
  },
  twice: {
    id: 'cors-twice',
    severity: 'problem',
    effect: 'Browsers refuse an answer with two of them, even if both are right.',
    fix: 'let the server or the proxy send it, not both',
  },
  cookies: {
    id: 'cors-cookies',
    severity: 'warning',
    effect: 'Every page may send the cookies of its user.',
    fix: 'allow only the origins that are to use the server',
  },
  headers: {
    id: 'cors-headers',
    severity: 'warning',
    effect: 'Clients in a browser that send one of them cannot connect.',
    fix: 'add them to Access-Control-Allow-Headers',
  },
  answer: {
    id: 'cors-answer',
    severity: 'problem',
    effect: 'The preflight passes, and the browser keeps the answer from the page.',
    fix: 'send Access-Control-Allow-Origin with each answer, also with errors, not with OPTIONS only',
  },
  expose: {
    id: 'cors-expose',
    severity: 'problem',
    effect: 'A page cannot read the header, so a client in a browser gets no further.',
    fix: 'name it in Access-Control-Expose-Headers',
  },
  origin: {
    id: 'origin-served',
    severity: 'warning',
    effect: 'The specification asks servers to check Origin: any page could use the server of a visitor.',
    fix: 'refuse unknown origins with 403 (Toolrack: ALLOWED_ORIGINS)',
  },
  host: {
    id: 'host-served',
    severity: 'warning',
    effect: 'Web pages can reach it by DNS rebinding.',
    fix: 'refuse unknown hosts (Toolrack: ALLOWED_HOSTS)',
  },
} as const satisfies Record<string, Fault>

/**
 * Runs before the check of access: browsers ask without a token, and a page must see that it needs
 * one.
 */
export const checkCors: Check = async context => {
  if (isRefusal(context.first!.status)) return
  const origin = context.origin ?? FOREIGN
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': NEEDED.join(','),
  }
  const reply = await context.send(context.url, { method: 'OPTIONS', headers, isAnonymous: true })
  const allowed = reply.headers['access-control-allow-origin']
  if (isTwice(allowed)) return report(context, FAULTS.twice, describeTwice(allowed))
  if (!isAllowed(reply, origin) || reply.status >= 300) {
    if (context.origin === undefined)
      return context.ok(`closed to pages (preflight: ${reply.status}); --origin checks a page`)
    return context.report(FAULTS.preflight, `pages of ${origin} cannot use it (preflight: ${reply.status})`)
  }
  if (allowed !== '*' && reply.headers['access-control-allow-credentials'] === 'true' && context.origin === undefined)
    context.report(FAULTS.cookies, `the origin ${FOREIGN}, like any other, is allowed with credentials`)
  const given = listNames(reply.headers['access-control-allow-headers'])
  // The asterisk does not cover Authorization. Fetch standard, "CORS-preflight fetch".
  const missing = NEEDED.filter(name => !given.includes(name) && !(given.includes('*') && name !== 'authorization'))
  if (missing.length > 0)
    context.report(FAULTS.headers, `pages of ${origin} may connect, but not send ${missing.join(', ')}`)
  if ((await checkAnswer(context, origin)) && missing.length === 0) context.ok(`pages of ${origin} may use it`)
}

/** @returns whether a page may read the parts of an answer that it needs */
async function checkAnswer(context: CheckContext, origin: string): Promise<boolean> {
  const sending = { headers: { origin } }
  const handshake = await initialize(context, LEGACY[0], sending)
  const isModern = handshake.session === undefined && handshake.status !== 401
  const reply = isModern ? await ask(context, sending) : handshake
  const allowed = reply.headers['access-control-allow-origin']
  if (isTwice(allowed)) {
    report(context, FAULTS.twice, describeTwice(allowed))
    return false
  }
  if (!isAllowed(reply, origin)) {
    report(
      context,
      FAULTS.answer,
      `an answer (${reply.status}) to ${origin} has Access-Control-Allow-Origin: ${allowed ?? 'none'}`,
    )
    return false
  }
  const exposed = listNames(reply.headers['access-control-expose-headers'])
  const hidden = ['mcp-session-id', 'www-authenticate'].filter(
    name => reply.headers[name] !== undefined && !exposed.includes(name) && !exposed.includes('*'),
  )
  for (const name of hidden) report(context, FAULTS.expose, `pages of ${origin} cannot read ${name} of an answer`)
  return hidden.length === 0
}

/** A hint without --origin, since nobody has said that pages will use the server. */
const report = (context: CheckContext, fault: Fault, cause: string) =>
  context.report(context.origin === undefined ? { ...fault, severity: 'warning' } : fault, cause)

const isAllowed = ({ headers }: Pick<HttpAnswer, 'headers'>, origin: string) =>
  ['*', origin].includes(headers['access-control-allow-origin'] ?? '')

/** Node joins repeated headers with a comma. */
const isTwice = (allowed: string | undefined): boolean => allowed?.includes(',') === true
const describeTwice = (allowed: string | undefined) => `Access-Control-Allow-Origin comes twice: ${allowed}`

const listNames = (header: string | string[] | undefined) =>
  String(header ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)

export const checkOrigin: Check = async context => {
  const { status, result } = await ask(context, { headers: { origin: FOREIGN } })
  if (result === undefined) context.ok(`requests of foreign pages are refused (${status})`)
  else context.report(FAULTS.origin, `a request of a foreign page (Origin: ${FOREIGN}) is served`)
}

/** On this machine, any web page could reach the server under its own name. */
export const checkHost: Check = async context => {
  if (!isLoopback(context.url.hostname)) return
  const { status, result } = await ask(context, { headers: { host: 'page.example' } })
  if (result === undefined) context.ok(`requests under another name are refused (${status})`)
  else context.report(FAULTS.host, 'a request under another name (Host: page.example) is served')
}
