// Can the server be reached, and where is its endpoint?
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { CATALOGUE } from 'toolrack/protocol'
import { AbortChecks, type Check, type CheckContext, type Fault } from '../check-context.ts'
import { type HttpAnswer, HttpTimeout } from '../http.ts'
import { initialize, LEGACY, MODERN, type Reply, sendModern } from '../mcp.ts'
import { NOBODY, PROBE_MS, reportTlsPort, reportUnreached, speaksTls } from './unreached.ts'

const MAX_REDIRECTS = 5
const DAY_MS = 24 * 60 * 60 * 1000
const EXPIRES_SOON_MS = 14 * DAY_MS

const FAULTS = {
  unknownName: {
    id: 'unknown-name',
    severity: 'problem',
    effect: NOBODY,
    fix: 'check the spelling; a new DNS record takes minutes to be seen',
  },
  endlessRedirects: {
    id: 'endless-redirects',
    severity: 'problem',
    effect: NOBODY,
    fix: 'let the proxy forward POST requests to the endpoint instead of redirecting them',
  },
  redirect: {
    id: 'redirect',
    severity: 'problem',
    effect: 'Many clients do not follow it for a POST, or send a GET there.',
    fix: 'let the proxy answer at the first URL',
  },
  otherOrigin: {
    id: 'redirect-to-other-origin',
    severity: 'problem',
    effect: 'Clients do not send their token to another origin.',
    fix: 'let the proxy answer at the first URL',
  },
  toPlainHttp: {
    id: 'redirect-to-http',
    severity: 'problem',
    effect: 'Clients do not follow it, or send their token where others can read it.',
    fix: 'let the server build URLs with https (X-Forwarded-Proto), or let the proxy answer at the first URL',
  },
  signInPage: {
    id: 'sign-in-page',
    severity: 'problem',
    effect: 'It is meant for people in a browser. MCP clients sign in by 401 and OAuth, and fail here.',
    fix: 'let requests to the endpoint pass without this sign-in, and guard it by tokens',
  },
  certificateEnds: {
    id: 'certificate-ends',
    severity: 'warning',
    effect: 'Then no client connects any more.',
    fix: 'renew it; is the renewal automatic?',
  },
  silentProbe: {
    id: 'silent-probe',
    severity: 'problem',
    effect: `Clients of ${MODERN} begin with it. They wait, and give up without trying a handshake.`,
    fix: 'answer methods that the server does not know at once: with 404, or 200, and error -32601',
  },
  page: {
    id: 'web-page',
    severity: 'problem',
    effect: NOBODY,
    fix: 'give the URL of the MCP endpoint; a proxy may show a sign-in page here',
  },
  httpSse: {
    id: 'http-sse',
    severity: 'problem',
    effect: 'Newer clients leave this transport behind.',
    fix: 'serve Streamable HTTP, and give its URL; the other checks are for that',
  },
  noEndpoint: {
    id: 'no-endpoint',
    severity: 'problem',
    effect: NOBODY,
    fix: 'most servers have it at /mcp; the log of the server names its URL',
  },
} as const satisfies Record<string, Fault>

/** Whether Node takes HTTPS_PROXY and HTTP_PROXY for what it fetches. */
const usesProxy = () => process.env['NODE_USE_ENV_PROXY'] === '1'

export const checkName: Check = async context => {
  const host = context.url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  const startMs = performance.now()
  const addresses = await lookup(host, { all: true }).catch(() => [])
  const ms = Math.round(performance.now() - startMs)
  if (addresses.length > 0) return context.ok(`${host} is ${addresses.map(each => each.address).join(', ')} (${ms} ms)`)
  if (usesProxy()) return context.ok(`the name ${host} is left to the proxy`)
  context.report(FAULTS.unknownName, `the name ${host} is not known`)
  throw new AbortChecks()
}

/** Sends one request as a client does, and follows redirects to see where they lead. */
export const checkReach: Check = async context => {
  const seen: URL[] = []
  for (;;) {
    const answer = await send(context)
    const { status, headers, timing } = answer
    const target = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', context.url.href) : null
    if (target === null) {
      if (seen.length > 0) reportRedirect(context, seen[0]!, answer)
      else context.ok(`answers after ${timing.headers} ms${describeTiming(answer)}`)
      reportCertificate(context, answer)
      context.first = answer
      return
    }
    if (seen.some(url => url.href === target.href) || seen.length >= MAX_REDIRECTS) {
      const way = [...seen, context.url, target].map(({ href }) => href).join(' → ')
      context.report(FAULTS.endlessRedirects, `redirects without an end: ${way}`)
      throw new AbortChecks()
    }
    seen.push(context.url)
    context.url = target
  }
}

function reportRedirect(context: CheckContext, from: URL, answer: HttpAnswer): void {
  const seen = `${from.href} redirects to ${context.url.href}`
  if (isPage(answer)) {
    context.report(FAULTS.signInPage, `${seen}, a web page`)
    throw new AbortChecks()
  }
  if (from.protocol === 'https:' && context.url.protocol === 'http:') {
    context.report(FAULTS.toPlainHttp, seen)
    return
  }
  const fault = from.origin === context.url.origin ? FAULTS.redirect : FAULTS.otherOrigin
  context.report({ ...fault, fix: `give clients ${context.url.href}, or ${fault.fix}` }, seen)
}

function describeTiming({ timing }: HttpAnswer): string {
  const { lookup: name, connect, secure } = timing
  const parts = Object.entries({ name, connect, TLS: secure }).flatMap(([key, ms]) =>
    ms === undefined ? [] : [`${key} ${ms}`],
  )
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function reportCertificate(context: CheckContext, { validTo }: HttpAnswer): void {
  const leftMs = validTo === undefined ? Number.POSITIVE_INFINITY : validTo.getTime() - Date.now()
  if (leftMs < EXPIRES_SOON_MS)
    context.report(FAULTS.certificateEnds, `the certificate ends in ${Math.floor(leftMs / DAY_MS)} days`)
}

async function send(context: CheckContext): Promise<HttpAnswer> {
  try {
    return await sendModern(context, 'server/discover')
  } catch (error) {
    if (error instanceof HttpTimeout && error.timing.connect !== undefined) {
      const handshake = await initialize(context, LEGACY[0]).catch(() => undefined)
      if (handshake?.session !== undefined) {
        context.isProbeSilent = true
        context.report(FAULTS.silentProbe, 'server/discover is never answered, and a handshake is')
        return handshake
      }
    }
    await reportUnreached(context, error)
    throw new AbortChecks()
  }
}

/** Looks for the endpoint if the URL has no path. */
export const createEndpointCheck =
  (others: readonly URL[]): Check =>
  async context => {
    const given = context.url
    for (const url of [given, ...others]) {
      context.url = url
      if (await isEndpoint(context, url === given ? context.first : undefined)) return
    }
    context.url = given
    const { status } = context.first!
    if (isPage(context.first!) && given.protocol === 'http:' && (await speaksTls(given))) reportTlsPort(context)
    else if (isPage(context.first!) && status === 200) context.report(FAULTS.page, 'answers with a web page')
    else if (await speaksHttpSse(context)) context.report(FAULTS.httpSse, 'speaks HTTP+SSE of 2024-11-05')
    else context.report(FAULTS.noEndpoint, `there is no MCP endpoint at ${given.pathname} (${status})`)
    throw new AbortChecks()
  }

async function isEndpoint(context: CheckContext, known: HttpAnswer | undefined): Promise<boolean> {
  const answer: HttpAnswer & Partial<Reply> = known ?? (await sendModern(context, 'server/discover'))
  if (isPage(answer)) return false
  if (answer.status !== 404 && answer.status !== 405) return true
  // 404 is also the status for an unknown method, and for a missing session.
  if (answer.status === 404 && answer.error?.code === CATALOGUE.METHOD_NOT_FOUND.code) return true
  return (await initialize(context, LEGACY[0])).session !== undefined
}

const isPage = ({ headers }: HttpAnswer) => /^text\/html\b/i.test(headers['content-type'] ?? '')

/** Its stream begins with the URL for messages. Spec 2024-11-05: basic/transports. */
async function speaksHttpSse({ send, url }: CheckContext): Promise<boolean> {
  const headers = { accept: 'text/event-stream' }
  const isBegun = (body: string) => /^event: ?endpoint$/m.test(body)
  const answer = await send(url, { headers, until: isBegun, timeoutMs: PROBE_MS }).catch(() => undefined)
  return answer !== undefined && isBegun(answer.body)
}
