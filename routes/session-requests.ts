// One message of a revision with a handshake, from any transport: opens and dispatches requests,
// handles the rest.
// Spec 2025-11-25: basic/lifecycle, basic/utilities/cancellation.
import type { FastifyRequest } from 'fastify'
import { emitMessageEnded, toLogContext } from '../plugins/audit.ts'
import { type ServeRuntime, serveMessage } from '../src/dispatch.ts'
import { openLegacy, openStateless } from '../src/legacy/open.ts'
import type { SessionRegistry } from '../src/legacy/session-registry.ts'
import { toErrorEnding } from '../src/observability/request-ended.ts'
import { McpError } from '../src/protocol/errors.ts'
import { isRequestId, type Message, type RequestId } from '../src/protocol/messages.ts'
import type { Revision } from '../src/protocol/revisions/index.ts'
import { type Answer, createErrorAnswer, jitterRetryAfter } from '../src/request/answer.ts'
import type { Cancellation } from '../src/request/cancellation.ts'
import type { Exchange, NotificationSink } from '../src/request/exchange.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import type { Runtime } from '../src/runtime.ts'
import type { Session } from '../src/state/sessions.ts'
import { toLogged } from '../src/text/logged-error.ts'
import { parseAccept } from '../src/transport/accept.ts'
import { BODY_BYTES, CLIENT_KEY, IS_AUDITED } from '../src/transport/request-facts.ts'

export type SessionRuntime = Pick<
  Runtime,
  keyof ServeRuntime | 'owners' | 'sessions' | 'streams' | 'metrics' | 'audit' | 'log'
>

export function connect<S extends NotificationSink | undefined>(
  { headers, raw, caller, [CLIENT_KEY]: clientKey, id: requestId, [BODY_BYTES]: bodyBytes }: FastifyRequest,
  { owners, inflight, log }: Pick<Runtime, 'owners' | 'inflight' | 'log'>,
  sink: S,
  requestBytes = bodyBytes,
) {
  const { httpVersion } = raw
  const owner = owners.find(caller)
  const cancellation = inflight.createCancellation(caller)
  return { headers, httpVersion, caller, owner, clientKey, sink, cancellation, requestId, requestBytes, log }
}

export type RequestMessage = Extract<Message, { kind: 'request' }>

export const isHandshake = (message: Message): message is RequestMessage =>
  message.kind === 'request' && message.method === 'initialize'

/** Handles a notification (only `cancelled` has an effect), or an answer to a question. */
export function handleClientMessage(
  sessions: SessionRegistry,
  session: Session,
  message: Exclude<Message, RequestMessage>,
): void {
  const active = sessions.get(session)
  const { replicas } = sessions
  // What is not pending here may be pending on another replica.
  if (message.kind === 'response') {
    const waiting = active?.pendingQuestions.get(String(message.id))
    if (waiting === undefined) replicas.publish({ kind: 'answer', session: session.id, response: message.body })
    else waiting(message.body)
  } else if (message.method === 'notifications/cancelled') {
    const { requestId } = message.params
    if (!isRequestId(requestId)) return
    const running = active?.runningRequests.get(requestId)
    if (running === undefined) replicas.publish({ kind: 'cancel', session: session.id, requestId })
    else running.cancel('cancelled')
  }
}

interface SessionRequest {
  readonly session: Session
  readonly request: FastifyRequest
  readonly sink: NotificationSink | undefined
  /** Size of the message, if its POST holds several. */
  readonly bytes?: number
}

/** Opens and serves one request. Never throws. @returns undefined if the client has cancelled it */
export function answerRequest(
  runtime: SessionRuntime,
  { session, request, sink, bytes = request[BODY_BYTES] }: SessionRequest,
  message: RequestMessage,
): MaybePromise<Answer | undefined> {
  const { sessions, inflight } = runtime
  const connection = connect(request, runtime, sink, bytes)
  try {
    inflight.assertOpen()
    // A cancellation could not tell two requests with the same id apart.
    if (sessions.get(session)?.runningRequests.has(message.id))
      throw new McpError('INVALID_REQUEST', 'a request with this id is under way in this session')
    const exchange = openLegacy(sessions, session, message, connection)
    request[IS_AUDITED] = true
    const answering = serveMessage(exchange, runtime)
    return answering instanceof Promise ? trackRequest(sessions, session, exchange, answering) : answering
  } catch (error) {
    return answerRefusal(runtime, { revision: session.revision, request, message, bytes }, error)
  }
}

/** Lets the client cancel a request that has to wait. */
async function trackRequest(
  sessions: SessionRegistry,
  session: Session,
  { id, cancellation }: Exchange,
  answering: Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const { runningRequests } = sessions.getOrCreate(session)
  runningRequests.set(id, cancellation)
  try {
    const answer = await answering
    return cancellation.reason === 'cancelled' ? undefined : answer
  } finally {
    if (runningRequests.get(id) === cancellation) runningRequests.delete(id)
    sessions.releaseIfIdle(session)
  }
}

interface StatelessRequest extends Omit<SessionRequest, 'session'> {
  readonly revision: Revision
  /** Has the request cancelled when its client leaves: nothing else could cancel it. */
  cancelWithClient(cancellation: Cancellation): void
}

/** The same for a request that names no session. */
export function answerStateless(
  runtime: SessionRuntime,
  { revision, request, sink, bytes = request[BODY_BYTES], cancelWithClient }: StatelessRequest,
  message: RequestMessage,
): MaybePromise<Answer | undefined> {
  const connection = connect(request, runtime, sink, bytes)
  try {
    runtime.inflight.assertOpen()
    const exchange = openStateless(revision, message, connection)
    request[IS_AUDITED] = true
    const answering = serveMessage(exchange, runtime)
    // A request that is answered at once cannot lose its client meanwhile.
    if (answering instanceof Promise) cancelWithClient(connection.cancellation)
    return answering
  } catch (error) {
    return answerRefusal(runtime, { revision, request, message, bytes }, error)
  }
}

interface RefusedMessage {
  readonly revision: Revision
  readonly request: FastifyRequest
  readonly message: { readonly kind: string; readonly id?: RequestId | undefined }
  readonly bytes: number | undefined
}

export function answerRefusal(
  { log, events }: SessionRuntime,
  { revision, request, message, bytes }: RefusedMessage,
  error: unknown,
): Answer {
  if (!(error instanceof McpError))
    log.error({ err: toLogged(error), ...toLogContext(request, message) }, 'internal error')
  const answer = createErrorAnswer(error, message.id, revision)
  const { status, json: responseJson } = answer
  emitMessageEnded(events, request, { message, bytes, ending: toErrorEnding(error), error, status, responseJson })
  return answer
}

/** @throws McpError DRAINING, NOT_ACCEPTABLE, RATE_LIMITED or BUSY if no stream may open */
export function assertMayListen(
  { unsent, maxStreams, inflight, streams }: SessionRuntime,
  { headers, [CLIENT_KEY]: clientKey }: FastifyRequest,
): void {
  inflight.assertOpen()
  unsent.assertRoom(clientKey)
  if (!parseAccept(headers.accept).sse) throw new McpError('NOT_ACCEPTABLE', 'expected Accept: text/event-stream')
  if (streams.hasRoom(maxStreams)) return
  throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: jitterRetryAfter(30) })
}
