// Handles one message of a session, from any door. Serves a request, lets the client cancel it, and
// takes messages that need no answer. Spec 2025-11-25: basic/lifecycle,
// basic/utilities/cancellation.
import { type ServeRuntime, serveMessage } from '../dispatch.ts'
import { openLegacy, type SessionConnection } from '../legacy/open.ts'
import type { SessionRegistry } from '../legacy/session-registry.ts'
import { McpError } from '../protocol/errors.ts'
import { isRequestId, type Message } from '../protocol/messages.ts'
import type { Answer } from '../request/answer.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Session } from '../state/sessions.ts'

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
  // An answer that is not awaited here may be awaited on another replica.
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

export interface SessionMessagesRuntime extends ServeRuntime {
  readonly sessions: SessionRegistry
}

/**
 * Opens and serves one request.
 *
 * @returns undefined if the client has cancelled it
 * @throws McpError DRAINING, INVALID_REQUEST or INVALID_PARAMS, before a method is served
 */
export function answerInSession(
  runtime: SessionMessagesRuntime,
  session: Session,
  message: RequestMessage,
  connection: SessionConnection,
): MaybePromise<Answer | undefined> {
  const { sessions, inflight } = runtime
  inflight.assertOpen()
  // A cancellation could not tell apart two requests with the same id.
  if (sessions.get(session)?.runningRequests.has(message.id))
    throw new McpError('INVALID_REQUEST', 'a request with this id is under way in this session')
  const exchange = openLegacy(sessions, session, message, connection)
  const answering = serveMessage(exchange, runtime)
  return answering instanceof Promise ? trackRequest(sessions, session, exchange, answering) : answering
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
