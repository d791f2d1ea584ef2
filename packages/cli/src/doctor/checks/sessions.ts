// Does each request reach a server that knows its session? Every request uses a new connection, as
// through a load balancer.
import { toVisibleLine } from 'toolrack/text'
import { AbortChecks, type Check, type CheckContext, type Fault, type Session } from '../check-context.ts'
import { ask, endSession, initialize, type Reply, sendInitialized, sendLegacy } from '../mcp.ts'

const REQUESTS = 6
const SHARE =
  'let replicas share sessions (Toolrack: REDIS_URL, or for plain calls the same STATE_SECRET), or send a session to one replica by Mcp-Session-Id'

const FAULTS = {
  secondHandshake: {
    id: 'second-handshake',
    severity: 'problem',
    effect: 'A client connects more than once: only the first is served.',
    fix: 'make a transport for each session; the log of the server says what it refused',
  },
  idNotGiven: {
    id: 'session-id-not-given',
    severity: 'problem',
    effect: 'Clients cannot name their session: each request after the handshake fails.',
    fix: 'let proxies pass the header Mcp-Session-Id of answers, which names the session',
  },
  idDropped: {
    id: 'session-id-dropped',
    severity: 'problem',
    effect: 'The server cannot tell the session: each request after the handshake fails.',
    fix: 'let proxies pass the header Mcp-Session-Id of requests',
  },
  lost: {
    id: 'session-lost',
    severity: 'problem',
    effect: 'Calls fail by chance, or clients begin sessions again and again.',
    fix: SHARE,
  },
  forgotten: {
    id: 'session-forgotten',
    severity: 'problem',
    effect: 'Each request after the handshake fails.',
    fix: `keep sessions until they are ended; of several replicas, ${SHARE}`,
  },
  notification: {
    id: 'notification-answer',
    severity: 'warning',
    effect: 'Some clients take another answer for an error, and connect no further.',
    fix: 'answer notifications with 202 and no body',
  },
  ping: {
    id: 'ping',
    severity: 'warning',
    effect: 'Clients that ping, to see whether a server lives, take it for dead.',
    fix: 'answer ping with an empty result',
  },
  unknownSession: {
    id: 'unknown-session',
    severity: 'warning',
    effect: 'Clients begin a new session after 404 only: once the server has restarted, every call fails.',
    fix: 'answer a session that the server does not know with 404',
  },
  unlikeReplicas: {
    id: 'unlike-replicas',
    severity: 'problem',
    effect: 'Calls fail by chance.',
    fix: 'is one replica down, or of another version? Look at its log',
  },
} as const satisfies Record<string, Fault>

export const checkSessions: Check = async context => {
  if (context.session === undefined) return
  const { session, status } = await initialize(context, context.session.version)
  if (session === undefined) return context.report(FAULTS.secondHandshake, `a second handshake is refused (${status})`)
  const notified = await sendInitialized(context, session)
  if (notified.status !== 202 && notified.status !== 404 && notified.status !== 400)
    context.report(FAULTS.notification, `a notification is answered with ${notified.status}`)
  if (session.id === undefined) return checkWithoutSession(context, session)
  const replies: Reply[] = []
  for (let count = 0; count < REQUESTS; count++) replies.push(await sendLegacy(context, session, 'ping'))
  const lost = replies.filter(isLost)
  if (lost.length === REQUESTS) return reportAllLost(context, session, lost[0]!)
  if (lost.length > 0)
    context.report(
      FAULTS.lost,
      `${lost.length} of ${REQUESTS} requests reached a server that does not know the session`,
    )
  else if (reportPing(context, replies)) {
    context.ok(`a session is known on ${REQUESTS} connections of their own`)
    await checkUnknownSession(context, session)
  }
  await endSession(context, session)
}

const isLost = ({ status, result }: Reply) => result === undefined && (status === 404 || status === 400)

async function checkWithoutSession(context: CheckContext, session: Session): Promise<void> {
  const reply = await sendLegacy(context, session, 'ping')
  if (isLost(reply)) {
    context.report(FAULTS.idNotGiven, `initialize gives no Mcp-Session-Id, and ping is refused (${describe(reply)})`)
    giveUpSessions(context)
  } else if (reportPing(context, [reply])) context.ok('keeps no session: any replica may answer')
}

/** Finds out whether the header arrives: it sends a request without it. */
async function reportAllLost(context: CheckContext, session: Session, lost: Reply): Promise<void> {
  const bare = await sendLegacy(context, { ...session, id: undefined }, 'ping')
  if (describe(bare) === describe(lost))
    context.report(FAULTS.idDropped, `requests with a session are refused like those without one (${describe(lost)})`)
  else context.report(FAULTS.forgotten, `a session is not known right after its handshake (${describe(lost)})`)
  giveUpSessions(context)
}

/** Ends checks that need a session, since they could only fail. Requests of the newest era continue. */
function giveUpSessions(context: CheckContext): void {
  if (context.modern === undefined) throw new AbortChecks()
  delete context.session
}

function reportPing(context: CheckContext, replies: readonly Reply[]): boolean {
  const failed = replies.find(({ result }) => result === undefined)
  if (failed === undefined) return true
  context.report(FAULTS.ping, `ping is refused (${describe(failed)})`)
  context.harmless = 'tools/list'
  return false
}

async function checkUnknownSession(context: CheckContext, session: Session): Promise<void> {
  const reply = await sendLegacy(context, { ...session, id: crypto.randomUUID() }, 'ping')
  if (reply.result === undefined && reply.status !== 404)
    context.report(FAULTS.unknownSession, `a session that the server cannot know gets ${describe(reply)}, not 404`)
}

const describe = ({ status, error }: Reply): string =>
  error === undefined ? String(status) : `${status}: ${toVisibleLine(String(error.message)).slice(0, 120)}`

/** Replicas behind one address may differ. */
export const checkReplicas: Check = async context => {
  if (context.modern === undefined) return
  const statuses: number[] = []
  for (let count = 0; count < REQUESTS; count++) {
    const { result, status } = await ask(context)
    if (result === undefined) statuses.push(status)
  }
  if (statuses.length === 0) return context.ok(`${REQUESTS} requests on connections of their own are answered alike`)
  context.report(FAULTS.unlikeReplicas, `${statuses.length} of ${REQUESTS} like requests fail (${statuses.join(', ')})`)
}
