// One message of a session, whichever transport brought it: requests are opened and dispatched, the rest is heard.
// Spec 2025-11-25: basic/lifecycle, basic/utilities/cancellation.
import type { FastifyRequest } from 'fastify'
import { type Answer, errorAnswer } from '../src/answer.ts'
import { endingOfError } from '../src/audit/outcome.ts'
import type { Eventually } from '../src/chain.ts'
import { dispatch } from '../src/dispatch.ts'
import type { Log, Sink } from '../src/exchange.ts'
import type { Inflight } from '../src/inflight.ts'
import type { LiveSessions } from '../src/legacy/live-sessions.ts'
import { openLegacy } from '../src/legacy/open.ts'
import type { Services } from '../src/methods/method.ts'
import { McpError } from '../src/protocol/errors.ts'
import { isRequestId, type Message, type RequestId } from '../src/protocol/messages.ts'
import { spreadRetry } from '../src/retry.ts'
import type { Session } from '../src/session.ts'
import { accepted } from '../src/transport/accept.ts'
import { auditMessage, marksOf } from '../src/transport/audit-request.ts'
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
  const { peers } = sessions
  // What is not waited for here is elsewhere, or nowhere.
  if (message.kind === 'response') {
    const waiting = live?.asked.get(String(message.id))
    if (waiting === undefined) peers.say({ kind: 'answer', session: session.id, response: message.body })
    else waiting(message.body)
  } else if (message.method === 'notifications/cancelled') {
    const { requestId } = message.params
    if (!isRequestId(requestId)) return
    const running = live?.running.get(requestId)
    if (running === undefined) peers.say({ kind: 'cancel', session: session.id, requestId })
    else running.cancel('cancelled')
  }
}

interface Asking {
  readonly session: Session
  readonly request: FastifyRequest
  readonly sink: Sink | undefined
  /** Of the message, where its POST holds several. */
  readonly bytes?: number
}

/**
 * Opens and dispatches one request. Never throws.
 *
 * @returns undefined where the client has cancelled it, and so waits for no answer
 */
export function answerRequest(
  parts: SessionParts,
  { session, request, sink, bytes = request.bodyBytes }: Asking,
  message: Request,
): Eventually<Answer | undefined> {
  const { services, sessions, inflight, log } = parts
  const { headers, caller, clientKey, id: requestId } = request
  const sender = { headers, httpVersion: request.raw.httpVersion, caller, clientKey, requestId }
  // By what answers it, whichever way it goes from here.
  request.isAudited = true
  const cancellation = inflight.cancellation()
  try {
    inflight.assertOpen()
    // The second could not be told from the first, by its cancellation least of all.
    if (sessions.at(session)?.running.has(message.id))
      throw new McpError('INVALID_REQUEST', 'a request with this id is under way in this session')
    const connection = { ...sender, sink, cancellation, requestBytes: bytes, log }
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
    return refuse(parts, { session, request, message, bytes }, error)
  }
}

interface Refused {
  readonly session: Session
  readonly request: FastifyRequest
  /** As far as it could be read. */
  readonly message: { readonly kind: string; readonly id?: RequestId | undefined }
  readonly bytes: number | undefined
}

/** What is refused before it is dispatched, which would note it. */
export function refuse(
  { log, services }: SessionParts,
  { session, request, message, bytes }: Refused,
  error: unknown,
): Answer {
  const outcome = error instanceof McpError ? error.reason : 'INTERNAL_ERROR'
  if (error instanceof McpError) services.refusals.note(marksOf(request, message), error.reason)
  else log.error({ err: error, ...marksOf(request, message), outcome }, 'internal error')
  const answer = errorAnswer(error, message.id, session.revision)
  const { status, json } = answer
  auditMessage(services, request, {
    message,
    bytes,
    ending: endingOfError(error),
    status,
    responseBytes: Buffer.byteLength(json),
  })
  return answer
}

/** @throws McpError where no stream may open: DRAINING, NOT_ACCEPTABLE, RATE_LIMITED, BUSY */
export function assertMayListen(
  { services, inflight, streams }: SessionParts,
  { headers, clientKey }: FastifyRequest,
): void {
  inflight.assertOpen()
  services.unsent.assertRoom(clientKey)
  if (!accepted(headers.accept).sse) throw new McpError('NOT_ACCEPTABLE', 'expected Accept: text/event-stream')
  if (streams.hasRoom(services.rules.maxStreams)) return
  throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: spreadRetry(30) })
}
