// One message of a client of HTTP+SSE, at the replica that holds its stream: whatever answers it goes over that.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyRequest } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { openSession } from '../src/legacy/open.ts'
import { toErrorEnding } from '../src/observability/ending.ts'
import { claimsModern } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { type JsonObject, type Message, readMessage } from '../src/protocol/messages.ts'
import { createErrorAnswer } from '../src/request/answer.ts'
import type { Session } from '../src/state/sessions.ts'
import { type HttpSseClient, type HttpSseClients, toSessionId } from './http-sse-connections.ts'
import { answerRequest, handleClientMessage, isHandshake, type SessionRuntime } from './session-requests.ts'

/** Resolves when the message is accepted; rejects where it is refused, save for requests: their refusal is an answer. */
export type Accept = (connection: HttpSseClient, request: FastifyRequest) => Promise<void>

export function httpSseMessages(runtime: SessionRuntime, connections: HttpSseClients): Accept {
  const { sessions, events } = runtime

  async function accept(connection: HttpSseClient, request: FastifyRequest): Promise<void> {
    const { stream } = connection
    const message = readMessage(request.body)
    try {
      const session = await findOrBeginSession(connection, message, request)
      serve(message, { session, request, connection })
    } catch (error) {
      if (message.kind !== 'request' || !(error instanceof McpError)) throw error
      // As an answer, so that a client which tries a newer revision first goes on with this one.
      const { status, json } = createErrorAnswer(error, message.id)
      emitHttpEnded(events, request, {
        ending: toErrorEnding(error),
        error,
        status,
        responseJson: json,
      })
      stream.answer(json)
    }
  }

  async function findOrBeginSession(
    connection: HttpSseClient,
    message: Message,
    request: FastifyRequest,
  ): Promise<Session> {
    if (claimsModern(message))
      throw new McpError('INVALID_REQUEST', 'its metadata is of a revision that is served elsewhere')
    const session = isHandshake(message) ? await begin(connection, message.params, request) : connection.session
    if (session === undefined) throw new McpError('SESSION_REQUIRED', 'begin with initialize')
    return session
  }

  async function begin(connection: HttpSseClient, params: JsonObject, { caller }: FastifyRequest): Promise<Session> {
    const { id, owner } = connection
    await endPresumed(connection)
    const session = await openSession(sessions, params, { caller, id: toSessionId(id) })
    connection.session = session
    // Its client may have left before there was a session to keep.
    if (connections.find(id, owner) !== connection) await sessions.abandon(session)
    return session
  }

  async function endPresumed(connection: HttpSseClient): Promise<void> {
    const { session, stream, isRecreated } = connection
    if (session === undefined) return
    if (!isRecreated) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    connection.isRecreated = false
    // The stream is that of the next session.
    sessions.get(session)?.removeStream(stream)
    await sessions.close(session)
  }

  async function serve(
    message: Message,
    { session, request, connection }: { session: Session; request: FastifyRequest; connection: HttpSseClient },
  ): Promise<void> {
    if (message.kind !== 'request') return handleClientMessage(sessions, session, message)
    const { stream } = connection
    const answer = await answerRequest(runtime, { session, request, sink: stream.createSink() }, message)
    if (!isHandshake(message)) {
      if (answer !== undefined) stream.answer(answer.json)
      return
    }
    if (answer !== undefined) stream.send(answer.json)
    connections.listen(connection)
  }

  return accept
}
