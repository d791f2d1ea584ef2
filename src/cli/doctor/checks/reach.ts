// Can the server be reached, and where is its endpoint?
import { lookup } from 'node:dns/promises'
import { isIP, connect as open } from 'node:net'
import { connect as openSecure } from 'node:tls'
import { isLoopback } from '../../../config/addresses.ts'
import { usesProxy } from '../../../config/environment.ts'
import { CATALOGUE } from '../../../protocol/errors.ts'
import { explainNetworkCode, getNetworkCode } from '../../client/failures.ts'
import { toVisibleLine } from '../../client/visible.ts'
import { AbortChecks, type Check, type CheckContext, type Fault } from '../check-context.ts'
import { BrokenAnswer, type HttpAnswer, HttpTimeout } from '../http.ts'
import { initialize, LEGACY, MODERN, type Reply, sendModern } from '../mcp.ts'

const MAX_REDIRECTS = 5
const DAY_MS = 24 * 60 * 60 * 1000
const EXPIRES_SOON_MS = 14 * DAY_MS
const NOBODY = 'No client can connect.'
const LOOK = 'look at the log of the server and of each proxy before it: where does the request stop?'

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
  unreachable: {
    id: 'unreachable',
    severity: 'problem',
    effect: NOBODY,
    fix: 'check that the server runs, and that host, port and scheme are those of its log',
  },
  noTls: { id: 'no-tls', severity: 'problem', effect: NOBODY, fix: 'write http instead of https' },
  tlsFails: {
    id: 'tls-fails',
    severity: 'problem',
    effect: NOBODY,
    fix: 'let the server speak TLS 1.2 or 1.3, and check the port: another program may listen there',
  },
  certificate: {
    id: 'certificate',
    severity: 'problem',
    effect: 'Clients check it, as this command does, and do not connect.',
    fix: '',
  },
  otherLoopback: {
    id: 'other-loopback',
    severity: 'problem',
    effect: 'Whether a client connects by the name localhost depends on the address that it takes.',
    fix: 'let the server listen on 127.0.0.1, or give clients the address where it listens',
  },
  tlsPort: {
    id: 'tls-port',
    severity: 'problem',
    effect: NOBODY,
    fix: 'write https instead of http',
  },
  notHttp: {
    id: 'not-http',
    severity: 'problem',
    effect: NOBODY,
    fix: 'check the port: another program listens there',
  },
  silent: { id: 'silent', severity: 'problem', effect: NOBODY, fix: LOOK },
  brokenAnswer: { id: 'broken-answer', severity: 'problem', effect: NOBODY, fix: LOOK },
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

/** One request as a client sends it; redirects are followed to see where they lead. */
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

async function reportUnreached(context: CheckContext, error: unknown): Promise<void> {
  const { url } = context
  const code = getNetworkCode(error)
  if (error instanceof HttpTimeout) return context.report(FAULTS.silent, describeSilence(error))
  if (error instanceof BrokenAnswer) return context.report(FAULTS.brokenAnswer, error.message)
  if (url.protocol === 'http:' && (code === 'ECONNRESET' || isParseError(error)) && (await speaksTls(url)))
    return context.report(FAULTS.tlsPort, `port ${url.port || 80} speaks TLS, and the URL says http`)
  if (isParseError(error)) return context.report(FAULTS.notHttp, `port ${url.port || 80} does not speak HTTP`)
  const other = code === 'ECONNREFUSED' ? await findOtherLoopback(url) : undefined
  if (other !== undefined)
    return context.report(FAULTS.otherLoopback, `nothing listens at ${url.host}, and something does at ${other}`)
  const fix = code === undefined ? undefined : CERTIFICATE_FIXES[code]
  if (fix !== undefined) return context.report({ ...FAULTS.certificate, fix }, explainNetworkCode(code!))
  if (code !== undefined && HANDSHAKE_CODES.includes(code)) {
    const seen = `port ${url.port || 443}`
    if (await speaksHttp(context))
      return context.report(FAULTS.noTls, `${seen} does not speak TLS, and the URL says https`)
    return context.report(FAULTS.tlsFails, `${seen} answers, and a handshake of TLS fails there`)
  }
  if (code !== undefined) return context.report(FAULTS.unreachable, `cannot be reached: ${explainNetworkCode(code)}`)
  context.report(FAULTS.brokenAnswer, `the answer broke off: ${toVisibleLine((error as Error).message)}`)
}

const OWN_AUTHORITY =
  'send the certificates of all authorities in between (fullchain.pem), or give clients the private authority (NODE_EXTRA_CA_CERTS)'
const CERTIFICATE_FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew it; is the renewal automatic, and does the server read the new file?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'give clients a name that the certificate has, or get one for this name',
  DEPTH_ZERO_SELF_SIGNED_CERT: OWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OWN_AUTHORITY,
}
/** Of what is not TLS, or of another version. */
const HANDSHAKE_CODES: readonly string[] = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

const isParseError = (error: unknown) => String((error as NodeJS.ErrnoException).code).startsWith('HPE_')

const describeSilence = ({ timing, status }: HttpTimeout) =>
  status !== undefined
    ? `status ${status} came, but the answer never ended`
    : timing.connect === undefined
      ? 'no connection was made in time; a firewall may drop it'
      : 'the connection was made, but no answer came'

const PROBE_MS = 2000

/** Whether the port shakes hands, whatever its certificate. */
function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  // Only a handshake: nothing is sent, so nothing can be read by somebody else.
  return connects(openSecure({ host, port: Number(port || 80), rejectUnauthorized: false }), 'secureConnect')
}

/** Without the token. */
async function speaksHttp({ send, url }: CheckContext): Promise<boolean> {
  const plain = new URL(url)
  plain.protocol = 'http:'
  plain.port = url.port || '443'
  const answer = await send(plain, { isAnonymous: true, timeoutMs: PROBE_MS, until: () => true }).catch(() => undefined)
  return answer !== undefined
}

async function findOtherLoopback({ hostname, port }: URL): Promise<string | undefined> {
  if (!isLoopback(hostname) || hostname === 'localhost') return undefined
  const [host, shown] = hostname === '[::1]' ? ['127.0.0.1', '127.0.0.1'] : ['::1', '[::1]']
  return (await connects(open({ host, port: Number(port || 80) }), 'connect')) ? `${shown}:${port || 80}` : undefined
}

function connects(socket: ReturnType<typeof open>, event: 'connect' | 'secureConnect'): Promise<boolean> {
  return new Promise(resolve => {
    const end = (isThere: boolean) => {
      resolve(isThere)
      socket.destroy()
    }
    socket.setTimeout(PROBE_MS, () => end(false))
    socket.once(event, () => end(true)).on('error', () => end(false))
  })
}

/** Where a URL without a path was given, the endpoint is looked for. */
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
    if (isPage(context.first!) && given.protocol === 'http:' && (await speaksTls(given)))
      context.report(FAULTS.tlsPort, `port ${given.port || 80} speaks TLS, and the URL says http`)
    else if (isPage(context.first!) && status === 200) context.report(FAULTS.page, 'answers with a web page')
    else if (await speaksHttpSse(context)) context.report(FAULTS.httpSse, 'speaks HTTP+SSE of 2024-11-05')
    else context.report(FAULTS.noEndpoint, `there is no MCP endpoint at ${given.pathname} (${status})`)
    throw new AbortChecks()
  }

async function isEndpoint(context: CheckContext, known: HttpAnswer | undefined): Promise<boolean> {
  const answer: HttpAnswer & Partial<Reply> = known ?? (await sendModern(context, 'server/discover'))
  if (isPage(answer)) return false
  if (answer.status !== 404 && answer.status !== 405) return true
  // 404 is also the status of a method that a server does not know, and of a session that is missing.
  if (answer.status === 404 && answer.error?.code === CATALOGUE.METHOD_NOT_FOUND.code) return true
  return (await initialize(context, LEGACY[0])).session !== undefined
}

const isPage = ({ headers }: HttpAnswer) => /^text\/html\b/i.test(headers['content-type'] ?? '')

/** Its stream begins with the URL that messages are posted to. Spec 2024-11-05: basic/transports. */
async function speaksHttpSse({ send, url }: CheckContext): Promise<boolean> {
  const headers = { accept: 'text/event-stream' }
  const isBegun = (body: string) => /^event: ?endpoint$/m.test(body)
  const answer = await send(url, { headers, until: isBegun, timeoutMs: PROBE_MS }).catch(() => undefined)
  return answer !== undefined && isBegun(answer.body)
}
