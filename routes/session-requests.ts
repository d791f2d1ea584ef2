// One HTTP request of a revision with a handshake, in a session or without one: connects, serves,
// and records a refusal.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { emitHttpEnded, emitMessageEnded, toLogContext } from '../plugins/audit.ts'
import { type ServeRuntime, serveMessage } from '../src/dispatch.ts'
import type { Batch } from '../src/doors/batch.ts'
import { answerInSession, type RequestMessage } from '../src/doors/session-messages.ts'
import { openStateless } from '../src/legacy/open.ts'
import { STREAMING, toErrorEnding } from '../src/observability/request-ended.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { RequestId } from '../src/protocol/messages.ts'
import type { Revision } from '../src/protocol/revisions/index.ts'
import { type Answer, createErrorAnswer, jitterRetryAfter } from '../src/request/answer.ts'
import type { Cancellation } from '../src/request/cancellation.ts'
import type { NotificationSink } from '../src/request/exchange.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import type { Runtime } from '../src/runtime.ts'
import type { Session } from '../src/state/sessions.ts'
import { toLogged } from '../src/text/logged-error.ts'
import { parseAccept } from '../src/transport/accept.ts'
import type { SseResponse } from '../src/transport/event-stream.ts'
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
  try {
    const answering = answerInSession(runtime, session, message, connect(request, runtime, sink, bytes))
    request[IS_AUDITED] = true
    return answering
  } catch (error) {
    return answerRefusal(runtime, { revision: session.revision, request, message, bytes }, error)
  }
}

interface StatelessRequest extends Omit<SessionRequest, 'session'> {
  readonly revision: Revision
  /** Cancels the request when its client leaves: nothing else could cancel it. */
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

/** Counts a message of a batch against the client's limits. @returns the error if it is refused */
export type CountMessage = (request: FastifyRequest) => MaybePromise<McpError | undefined>

export interface BatchRuntime extends SessionRuntime {
  readonly countMessage: CountMessage
}

/** The common part of batches with a session and without one. */
export const createBatch = (
  runtime: BatchRuntime,
  request: FastifyRequest,
  revision: Revision,
): Pick<Batch, 'values' | 'count' | 'refuse'> => ({
  values: runtime.audit.isOn ? (request.body as unknown[]) : [],
  count: () => runtime.countMessage(request),
  refuse: (message, bytes, error) => answerRefusal(runtime, { revision, request, message, bytes }, error),
})

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

/** Opens a stream that outlives its request, and records that. The headers of the request are released. */
export function openStream({ events, streams }: SessionRuntime, reply: FastifyReply): SseResponse {
  emitHttpEnded(events, reply.request, { ending: STREAMING, status: 200 })
  return streams.openDetached(reply)
}
