// Can the server be reached, where is its endpoint, and which revisions does it speak?
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { usesProxy } from '../../../config/environment.ts'
import { isObject } from '../../../protocol/messages.ts'
import { META_SERVER } from '../../../protocol/schemas/common.ts'
import { explainNetworkCode, getNetworkCode } from '../../client/failures.ts'
import { toVisibleLine } from '../../client/visible.ts'
import { type Check, type Patient, StopDiagnosis } from '../finding.ts'
import { type HttpAnswer, HttpTimeout } from '../http.ts'
import { endSession, initialize, LEGACY, MODERN, type Session, sendInitialized, sendModern, toSession } from '../mcp.ts'

const MAX_REDIRECTS = 5
const DAY_MS = 24 * 60 * 60 * 1000
const EXPIRES_SOON_MS = 14 * DAY_MS

export const checkName: Check = async patient => {
  const host = patient.url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  const startMs = performance.now()
  const addresses = await lookup(host, { all: true }).catch(() => [])
  const ms = Math.round(performance.now() - startMs)
  if (addresses.length > 0) return patient.ok(`${host} is ${addresses.map(each => each.address).join(', ')} (${ms} ms)`)
  if (usesProxy()) return patient.ok(`the name ${host} is left to the proxy`)
  patient.problem(`the name ${host} is not known`, 'check the spelling; a new DNS record takes minutes to be seen')
  throw new StopDiagnosis()
}

/** One request as a client sends it; redirects are followed to see where they lead. */
export const checkReach: Check = async patient => {
  const seen: URL[] = []
  for (;;) {
    const answer = await send(patient)
    const { status, headers, timing } = answer
    const target = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', patient.url.href) : null
    if (target === null) {
      if (seen.length > 0) reportRedirect(patient, seen[0]!)
      else patient.ok(`answers after ${timing.headers} ms${describeTiming(answer)}`)
      reportCertificate(patient, answer)
      patient.first = answer
      return
    }
    if (seen.some(url => url.href === target.href) || seen.length >= MAX_REDIRECTS) {
      patient.problem(
        `redirects without an end: ${[...seen, patient.url, target].map(({ href }) => href).join(' → ')}`,
        'let the proxy forward POST requests to the endpoint instead of redirecting them',
      )
      throw new StopDiagnosis()
    }
    seen.push(patient.url)
    patient.url = target
  }
}

function reportRedirect(patient: Patient, from: URL): void {
  const isOther = from.origin !== patient.url.origin
  const what = isOther
    ? 'clients do not send their token to another origin'
    : 'many clients do not follow it for a POST'
  patient.problem(
    `${from.href} redirects to ${patient.url.href}: ${what}`,
    `give clients ${patient.url.href}, or let the proxy answer at the first URL`,
  )
}

function describeTiming({ timing }: HttpAnswer): string {
  const { lookup: name, connect, secure } = timing
  const parts = Object.entries({ name, connect, TLS: secure }).flatMap(([key, ms]) =>
    ms === undefined ? [] : [`${key} ${ms}`],
  )
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function reportCertificate(patient: Patient, { validTo }: HttpAnswer): void {
  const leftMs = validTo === undefined ? Number.POSITIVE_INFINITY : validTo.getTime() - Date.now()
  if (leftMs < EXPIRES_SOON_MS)
    patient.warn(`the certificate ends in ${Math.floor(leftMs / DAY_MS)} days`, 'renew it; is the renewal automatic?')
}

async function send(patient: Patient): Promise<HttpAnswer> {
  try {
    return await sendModern(patient.send, patient.url, 'server/discover')
  } catch (error) {
    const code = getNetworkCode(error)
    if (error instanceof HttpTimeout) patient.problem(describeSilence(error), SILENCE_FIX)
    else if (code !== undefined) patient.problem(`cannot be reached: ${explainNetworkCode(code)}`, REACH_FIX)
    else patient.problem(`the answer broke off: ${toVisibleLine((error as Error).message)}`, SILENCE_FIX)
    throw new StopDiagnosis()
  }
}

const REACH_FIX = 'check that the server runs, and that host, port and scheme are those of its log'
const SILENCE_FIX = 'look at the log of the server and of each proxy before it: where does the request stop?'

const describeSilence = ({ timing, status }: HttpTimeout) =>
  status !== undefined
    ? `status ${status} came, but the answer never ended`
    : timing.connect === undefined
      ? 'no connection was made in time; a firewall may drop it'
      : 'the connection was made, but no answer came'

/** Where a URL without a path was given, the endpoint is looked for. */
export const createEndpointCheck =
  (others: readonly URL[]): Check =>
  async patient => {
    for (const url of [patient.url, ...others]) {
      const answer = url === patient.url ? patient.first! : await sendModern(patient.send, url, 'server/discover')
      if (answer.status === 404 || answer.status === 405 || isPage(answer)) continue
      patient.url = url
      return
    }
    const { status } = patient.first!
    if (isPage(patient.first!) && status === 200)
      patient.problem(
        'answers with a web page',
        'give the URL of the MCP endpoint; a proxy may show a sign-in page here',
      )
    else if (await speaksHttpSse(patient))
      patient.problem(
        `speaks HTTP+SSE of 2024-11-05, which clients leave behind`,
        'serve Streamable HTTP, and give its URL; the other checks are for that',
      )
    else
      patient.problem(
        `there is no MCP endpoint at ${patient.url.pathname} (${status})`,
        'most servers have it at /mcp; the log of the server names its URL',
      )
    throw new StopDiagnosis()
  }

const isPage = ({ headers }: HttpAnswer) => /^text\/html\b/i.test(headers['content-type'] ?? '')

/** Its stream begins with the URL that messages are posted to. Spec 2024-11-05: basic/transports. */
async function speaksHttpSse({ send, url }: Patient): Promise<boolean> {
  const headers = { accept: 'text/event-stream' }
  const isBegun = (body: string) => /^event: ?endpoint$/m.test(body)
  const answer = await send(url, { headers, until: isBegun, timeoutMs: HTTP_SSE_WITHIN_MS }).catch(() => undefined)
  return answer !== undefined && isBegun(answer.body)
}

const HTTP_SSE_WITHIN_MS = 2000

export const checkModern: Check = async patient => {
  const { status, result, error } = await sendModern(patient.send, patient.url, 'server/discover')
  const versions = result?.['supportedVersions']
  if (Array.isArray(versions) && versions.includes(MODERN)) {
    patient.modern = { capabilities: isObject(result?.['capabilities']) ? result['capabilities'] : {} }
    patient.ok(`speaks ${MODERN}: ${versions.join(', ')}`)
    reportName(patient, result?.['_meta'], META_SERVER)
  } else if (status !== 401 && status !== 403) {
    const answer = error === undefined ? `status ${status}` : `${String(error.code)} ${toVisibleLine(error.message)}`
    patient.ok(`does not speak ${MODERN} (${answer.slice(0, 200)}); clients fall back to a session`)
  }
}

/** Clients show it, and tell servers apart by it. */
function reportName(patient: Patient, holder: unknown, member: string): void {
  const info = isObject(holder) ? holder[member] : undefined
  if (!isObject(info) || typeof info['name'] !== 'string') return
  patient.ok(`calls itself ${toVisibleLine(`${info['name']} ${info['version'] ?? ''}`).slice(0, 200)}`)
}

/** One session serves all checks; the others are ended. */
async function keep(patient: Patient, session: Session): Promise<void> {
  if (patient.session !== undefined) await end(patient, session)
  else {
    patient.session = session
    await sendInitialized(patient.send, patient.url, session)
  }
}

const end = async ({ send, url }: Patient, session: Session) =>
  session.id === undefined ? undefined : endSession(send, url, session)

export const checkLegacy: Check = async patient => {
  const spoken: string[] = []
  let failed = ''
  for (const version of LEGACY) {
    const reply = await initialize(patient.send, patient.url, version)
    const session = toSession(reply)
    if (session?.version === version) spoken.push(version)
    if (session !== undefined && patient.session === undefined && patient.modern === undefined)
      reportName(patient, reply.result, 'serverInfo')
    if (session !== undefined) await keep(patient, session)
    else failed = `status ${reply.status}${reply.error === undefined ? '' : `, ${toVisibleLine(reply.error.message)}`}`
    if (reply.status === 401 || reply.status === 403) return
  }
  if (spoken.length > 0) patient.ok(`sessions speak ${spoken.join(', ')}`)
  else if (patient.session !== undefined)
    patient.warn(
      `sessions speak only ${patient.session.version}`,
      `most clients of today speak ${LEGACY[0]}: update the SDK`,
    )
  else if (patient.modern !== undefined)
    patient.warn(`no handshake (${failed}): clients of before ${MODERN} cannot connect`, 'serve initialize too')
  else {
    patient.problem(
      `neither ${MODERN} nor a handshake is answered (${failed})`,
      'is this URL an MCP endpoint over Streamable HTTP? The log of the server says what it refused',
    )
    throw new StopDiagnosis()
  }
}
