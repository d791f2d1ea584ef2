// Which revisions does the server speak, and is its description of itself complete?
import type { JsonObject } from 'toolrack'
import { CATALOGUE, isObject, META_SERVER, VERSIONS } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'
import { AbortChecks, type Check, type CheckContext, type Fault, type Session } from '../check-context.ts'
import {
  endSession,
  initialize,
  LEGACY,
  MODERN,
  type Reply,
  sendInitialized,
  sendModern,
  UNKNOWN_REVISION,
} from '../mcp.ts'
import { MCP_HEADERS } from './headers.ts'

/** Claude Code cuts longer texts silently. */
export const MAX_TEXT = 2048

const FAULTS = {
  failingProbe: {
    id: 'failing-probe',
    severity: 'problem',
    effect: `Clients of ${MODERN} begin with it. They fall back to a handshake after 4xx only, and give up here.`,
    fix: 'answer methods that the server does not know with 404, or 200, and error -32601',
  },
  partialDiscovery: {
    id: 'partial-discovery',
    severity: 'problem',
    effect: `Clients of ${MODERN} take the server for an older one.`,
    fix: 'answer server/discover with supportedVersions and capabilities',
  },
  partialHandshake: {
    id: 'partial-handshake',
    severity: 'problem',
    effect: 'Clients of the SDKs refuse the handshake.',
    fix: 'answer with protocolVersion, capabilities (or {}), and serverInfo with name and version',
  },
  unknownRevision: {
    id: 'unknown-revision',
    severity: 'problem',
    effect: 'Clients end the connection if a server speaks none of their revisions.',
    fix: `answer with the revision that the client asks for, or with ${LEGACY[0]}`,
  },
  agreesToAll: {
    id: 'agrees-to-all',
    severity: 'warning',
    effect: 'Clients of a later revision will speak it to a server that does not know it.',
    fix: 'answer a revision that the server does not know with the newest that it knows',
  },
  oldRevision: {
    id: 'old-revision',
    severity: 'warning',
    effect: `Most clients of today speak ${LEGACY[0]}; what came since, they cannot use.`,
    fix: 'update the SDK',
  },
  noHandshake: {
    id: 'no-handshake',
    severity: 'warning',
    effect: `Clients of before ${MODERN} cannot connect.`,
    fix: 'serve initialize too',
  },
  zeroId: {
    id: 'zero-id',
    severity: 'problem',
    effect: 'Clients of the SDKs count from 0: they wait for the answer to their first request.',
    fix: 'take a message for a notification only if it has no id; 0 is one',
  },
  noAnswer: {
    id: 'no-answer',
    severity: 'problem',
    effect: 'No client can connect.',
    fix: 'is this URL an MCP endpoint over Streamable HTTP? The log of the server says what it refused',
  },
  longInstructions: {
    id: 'long-instructions',
    severity: 'warning',
    effect: `Claude Code cuts them after ${MAX_TEXT} characters; the model does not see the rest.`,
    fix: 'shorten them, and begin with what matters most',
  },
} as const satisfies Record<string, Fault>

export const checkModern: Check = async context => {
  if (context.isProbeSilent === true) return
  const reply = await sendModern(context, 'server/discover')
  const { status, result, error } = reply
  const versions = result?.['supportedVersions']
  if (Array.isArray(versions) && versions.includes(MODERN)) {
    const { capabilities } = result!
    if (!isObject(capabilities))
      context.report(FAULTS.partialDiscovery, 'server/discover is answered without capabilities')
    context.modern = { capabilities: isObject(capabilities) ? capabilities : {} }
    context.ok(`speaks ${MODERN}: ${versions.join(', ')}`)
    reportName(context, result?.['_meta'], META_SERVER)
    return reportInstructions(context, result!)
  }
  if (error?.code === CATALOGUE.HEADER_MISMATCH.code)
    return context.report(MCP_HEADERS, `server/discover is refused: ${toVisibleLine(error.message).slice(0, 200)}`)
  const answer = error === undefined ? `status ${status}` : `${String(error.code)} ${toVisibleLine(error.message)}`
  if (status >= 500 || status === 403) context.report(FAULTS.failingProbe, `server/discover is answered with ${status}`)
  else if (status !== 401)
    context.ok(`does not speak ${MODERN} (${answer.slice(0, 200)}); clients fall back to a session`)
}

/** Clients show the name, and distinguish servers by it. */
function reportName(context: CheckContext, holder: unknown, member: string): void {
  const info = isObject(holder) ? holder[member] : undefined
  if (!isObject(info) || typeof info['name'] !== 'string') return
  context.ok(`calls itself ${toVisibleLine(`${info['name']} ${info['version'] ?? ''}`).slice(0, 200)}`)
}

function reportInstructions(context: CheckContext, { instructions }: JsonObject): void {
  if (typeof instructions === 'string' && instructions.length > MAX_TEXT)
    context.report(FAULTS.longInstructions, `its instructions have ${instructions.length} characters`)
}

/** Keeps one session for all checks, and ends the others. */
async function keep(context: CheckContext, session: Session): Promise<void> {
  if (context.session !== undefined) return endSession(context, session)
  context.session = session
  await sendInitialized(context, session)
}

export const checkLegacy: Check = async context => {
  const spoken: string[] = []
  let failed: Reply | undefined
  for (const version of LEGACY) {
    const reply = await shakeHands(context, version)
    const { session } = reply
    if (reply.status === 401 || reply.status === 403) return
    if (session === undefined) failed = reply
    else {
      if (session.version === version) spoken.push(version)
      if (context.session === undefined) reportHandshake(context, reply)
      await keep(context, session)
    }
  }
  if (context.session !== undefined) await checkNegotiation(context)
  if (spoken.length > 0) return context.ok(`sessions speak ${spoken.join(', ')}`)
  if (context.session !== undefined) return reportOther(context, context.session)
  const why = describe(failed!)
  if (context.modern !== undefined) return context.report(FAULTS.noHandshake, `no handshake (${why})`)
  context.report(FAULTS.noAnswer, `neither ${MODERN} nor a handshake is answered (${why})`)
  throw new AbortChecks()
}

/**
 * Tries again with another kind of id, if the server takes a message with the id 0 for a
 * notification.
 */
async function shakeHands(context: CheckContext, version: string): Promise<Awaited<ReturnType<typeof initialize>>> {
  const reply = await initialize(context, version)
  const isMute = reply.result === undefined && reply.error === undefined && reply.status < 300
  if (!isMute || context.handshakeId !== 0) return reply
  context.handshakeId = 'doctor-0'
  const other = await initialize(context, version)
  if (other.session === undefined) context.handshakeId = 0
  else context.report(FAULTS.zeroId, `initialize with the id 0 gets no answer (${reply.status}), with another it does`)
  return other.session === undefined ? reply : other
}

function describe({ status, error }: Reply): string {
  if (error !== undefined) return `status ${status}, ${toVisibleLine(error.message).slice(0, 200)}`
  return status < 300 ? `status ${status} without an answer` : `status ${status}`
}

function reportHandshake(context: CheckContext, { result }: Reply): void {
  if (context.modern === undefined) reportName(context, result, 'serverInfo')
  const { capabilities, serverInfo } = result!
  const missing = [
    ...(isObject(capabilities) ? [] : ['capabilities']),
    ...['name', 'version']
      .filter(name => !isObject(serverInfo) || typeof serverInfo[name] !== 'string')
      .map(name => `serverInfo.${name}`),
  ]
  if (missing.length > 0)
    context.report(FAULTS.partialHandshake, `initialize is answered without ${missing.join(' and ')}`)
  if (context.modern === undefined) reportInstructions(context, result!)
}

async function checkNegotiation(context: CheckContext): Promise<void> {
  const { session } = await initialize(context, UNKNOWN_REVISION)
  if (session === undefined) return
  await endSession(context, session)
  if (session.version === UNKNOWN_REVISION)
    context.report(FAULTS.agreesToAll, `initialize agrees to ${UNKNOWN_REVISION}, a revision that never was`)
}

function reportOther(context: CheckContext, { version }: Session): void {
  const shown = toVisibleLine(version).slice(0, 80)
  if (VERSIONS.includes(version)) context.report(FAULTS.oldRevision, `sessions speak only ${shown}`)
  else context.report(FAULTS.unknownRevision, `initialize is answered with the unknown revision ${shown}`)
}
