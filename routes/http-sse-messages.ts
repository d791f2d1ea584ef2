// One message of a client of HTTP+SSE, at the replica that holds its stream: whatever answers it goes over that.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyRequest } from 'fastify'
import { errorAnswer } from '../src/answer.ts'
import { endingOfError } from '../src/audit/outcome.ts'
import { openSession } from '../src/legacy/open.ts'
import { claimsModern } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { type JsonObject, type Message, readMessage } from '../src/protocol/messages.ts'
import type { Session } from '../src/session.ts'
import { auditRequest, marksOf } from '../src/transport/audit-request.ts'
import { type Connection, type Connections, sessionIdOf } from './http-sse-connections.ts'
import { answerRequest, hear, isHandshake, type SessionParts } from './session-requests.ts'

/** Resolves when the message is accepted; rejects where it is refused, save for requests: their refusal is an answer. */
export type Accept = (connection: Connection, request: FastifyRequest) => Promise<void>

export function httpSseMessages(parts: SessionParts, connections: Connections): Accept {
  const { sessions, services } = parts

  async function accept(connection: Connection, request: FastifyRequest): Promise<void> {
    const { stream } = connection
    const message = readMessage(request.body)
    try {
      const session = await sessionOf(connection, message, request)
      serve(message, { session, request, connection })
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
      stream.answer(json)
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
    const { id, owner } = connection
    await endPresumed(connection)
    const session = await openSession(sessions, params, { caller, id: sessionIdOf(id) })
    connection.session = session
    // Its client may have left before there was a session to keep.
    if (connections.find(id, owner) !== connection) await sessions.abandon(session)
    return session
  }

  async function endPresumed(connection: Connection): Promise<void> {
    const { session, stream, isPresumed } = connection
    if (session === undefined) return
    if (!isPresumed) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    connection.isPresumed = false
    // The stream is that of the next session.
    sessions.at(session)?.leave(stream)
    await sessions.close(session)
  }

  async function serve(
    message: Message,
    { session, request, connection }: { session: Session; request: FastifyRequest; connection: Connection },
  ): Promise<void> {
    if (message.kind !== 'request') return hear(sessions, session, message)
    const { stream } = connection
    const answer = await answerRequest(parts, { session, request, sink: stream.share() }, message)
    if (!isHandshake(message)) {
      if (answer !== undefined) stream.answer(answer.json)
      return
    }
    if (answer !== undefined) stream.send(answer.json)
    connections.listen(connection)
  }

  return accept
}
