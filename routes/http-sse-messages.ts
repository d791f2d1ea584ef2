// One message of a client of HTTP+SSE, at the replica that holds its stream: whatever answers it goes over that.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyRequest } from 'fastify'
import { errorAnswer } from '../src/answer.ts'
import { endingOfError } from '../src/audit/outcome.ts'
import { openSession } from '../src/legacy/open.ts'
import type { PlainStream } from '../src/legacy/plain-stream.ts'
import { claimsModern } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { type JsonObject, type Message, readMessage } from '../src/protocol/messages.ts'
import type { Session } from '../src/session.ts'
import { auditRequest, marksOf } from '../src/transport/audit-request.ts'
import { answerRequest, hear, isHandshake, type SessionParts } from './session-requests.ts'

/** A stream that is open, and what its client has begun on it. */
export interface Connection {
  readonly owner: string | undefined
  readonly stream: PlainStream
  session: Session | undefined
}

/** Resolves when the message is accepted; rejects where it is refused, save for requests: their refusal is an answer. */
export type Accept = (connection: Connection, request: FastifyRequest) => Promise<void>

export function httpSseMessages(parts: SessionParts): Accept {
  const { sessions, services } = parts

  async function accept(connection: Connection, request: FastifyRequest): Promise<void> {
    const { stream } = connection
    const message = readMessage(request.body)
    try {
      serve(message, { session: await sessionOf(connection, message, request), request, stream })
    } catch (error) {
      if (message.kind !== 'request' || !(error instanceof McpError)) throw error
      services.refusals.note(marksOf(request), error.reason)
      // As an answer, so that a client which tries a newer revision first goes on with this one.
      const { status, json } = errorAnswer(error, message.id)
      auditRequest(services, request, {
        ending: endingOfError(error),
        status,
        responseBytes: Buffer.byteLength(json),
      })
      stream.send(json)
    }
  }

  async function sessionOf(connection: Connection, message: Message, request: FastifyRequest): Promise<Session> {
    if (claimsModern(message))
      throw new McpError('INVALID_REQUEST', 'its metadata is of a revision that is served elsewhere')
    const session = isHandshake(message) ? await begin(connection, message.params, request) : connection.session
    if (session === undefined) throw new McpError('SESSION_REQUIRED', 'begin with initialize')
    return session
  }

  async function begin(connection: Connection, params: JsonObject, { caller }: FastifyRequest): Promise<Session> {
    if (connection.session !== undefined) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    const session = await openSession(sessions, params, caller)
    connection.session = session
    // Its client may have left before there was a session to end.
    if (!connection.stream.isConnected) await sessions.abandon(session)
    return session
  }

  async function serve(
    message: Message,
    { session, request, stream }: { session: Session; request: FastifyRequest; stream: PlainStream },
  ): Promise<void> {
    if (message.kind !== 'request') return hear(sessions, session, message)
    const answer = await answerRequest(parts, { session, request, sink: stream.share() }, message)
    if (answer !== undefined) stream.send(answer.json)
    if (isHandshake(message)) sessions.listen(session, stream)
  }

  return accept
}
