// One message of a session, whichever transport brought it: requests are opened and dispatched, the rest is heard.
// Spec 2025-11-25: basic/lifecycle, basic/utilities/cancellation.
import type { FastifyRequest } from 'fastify'
import { type Answer, errorAnswer } from '../src/answer.ts'
import type { Eventually } from '../src/chain.ts'
import { dispatch } from '../src/dispatch.ts'
import type { Log, Sink } from '../src/exchange.ts'
import type { Inflight } from '../src/inflight.ts'
import type { LiveSessions } from '../src/legacy/live-sessions.ts'
import { openLegacy } from '../src/legacy/open.ts'
import type { Services } from '../src/methods/method.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { Message, RequestId } from '../src/protocol/messages.ts'
import type { Session } from '../src/session.ts'
import type { Streams } from '../src/transport/sse.ts'

export interface SessionParts {
  readonly services: Services
  readonly sessions: LiveSessions
  readonly inflight: Inflight
  readonly streams: Streams
  readonly log: Log
}

export type Request = Extract<Message, { kind: 'request' }>

export const isHandshake = (message: Message): message is Request =>
  message.kind === 'request' && message.method === 'initialize'

/** What the client says without asking anything: that a request is cancelled, or what the server asked it for. */
export function hear(sessions: LiveSessions, session: Session, message: Exclude<Message, Request>): void {
  const live = sessions.at(session)
  if (message.kind === 'response') live?.asked.get(String(message.id))?.(message.body)
  else if (message.method === 'notifications/cancelled') {
    const { requestId } = message.params
    if (typeof requestId === 'string' || typeof requestId === 'number')
      live?.running.get(requestId)?.cancel('cancelled')
  }
}

/**
 * Opens and dispatches one request. Never throws.
 *
 * @returns undefined where the client has cancelled it, and so waits for no answer
 */
export function answerRequest(
  { services, sessions, inflight, log }: SessionParts,
  { session, request, sink }: { session: Session; request: FastifyRequest; sink: Sink | undefined },
  message: Request,
): Eventually<Answer | undefined> {
  const { headers, caller, clientKey, id: requestId } = request
  const cancellation = inflight.cancellation()
  try {
    inflight.assertOpen()
    // The second could not be told from the first, by its cancellation least of all.
    if (sessions.at(session)?.running.has(message.id))
      throw new McpError('INVALID_REQUEST', 'a request with this id is under way in this session')
    const connection = { headers, caller, clientKey, sink, cancellation, requestId, log }
    const answer = dispatch(openLegacy(sessions, session, message, connection), services)
    if (!(answer instanceof Promise)) return answer
    inflight.begin()
    const { running } = sessions.of(session)
    running.set(message.id, cancellation)
    return answer.then(ready => {
      inflight.end()
      if (running.get(message.id) === cancellation) running.delete(message.id)
      sessions.settle(session)
      return cancellation.reason === 'cancelled' ? undefined : ready
    })
  } catch (error) {
    return refuse({ log, request, session }, error, message.id)
  }
}

/** What is refused before it is dispatched, which would note it. */
export function refuse(
  { log, request, session }: { log: Log; request: FastifyRequest; session: Session },
  error: unknown,
  id: RequestId | undefined,
): Answer {
  const outcome = error instanceof McpError ? error.reason : 'INTERNAL_ERROR'
  if (error instanceof McpError) log.info({ requestId: request.id, outcome }, 'refused')
  else log.error({ err: error, requestId: request.id, outcome }, 'internal error')
  return errorAnswer(error, id, session.revision)
}
