// HTTP+SSE, the transport of 2024-11-05, for clients that have no other: GET /sse opens the one stream over which
// everything is answered, and says where messages are posted. The session ends with its stream.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerOf } from '../src/access/identity.ts'
import { errorAnswer } from '../src/answer.ts'
import { endingOfError, STREAMING } from '../src/audit/outcome.ts'
import { openSession } from '../src/legacy/open.ts'
import { PlainStream } from '../src/legacy/plain-stream.ts'
import { claimsModern } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { type JsonObject, type Message, readMessage } from '../src/protocol/messages.ts'
import { spreadRetry } from '../src/retry.ts'
import type { Session } from '../src/session.ts'
import { accepted } from '../src/transport/accept.ts'
import { auditRequest } from '../src/transport/audit-request.ts'
import { parseJsonBodies } from './mcp.ts'
import { answerRequest, hear, isHandshake, type SessionParts } from './session-requests.ts'

export interface HttpSseOptions extends SessionParts {
  readonly maxBodyBytes: number
  /** What a proxy puts before the paths, such as `/shop`; or nothing. */
  readonly prefix: string
}

interface Connection {
  readonly owner: string | undefined
  readonly stream: PlainStream
  session: Session | undefined
}

const ID_BYTES = 24

export async function httpSseRoutes(app: FastifyInstance, { maxBodyBytes, prefix, ...parts }: HttpSseOptions) {
  const { sessions, streams, inflight, services } = parts
  const connections = new Map<string, Connection>()
  parseJsonBodies(app, maxBodyBytes)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    inflight.assertOpen()
    if (!accepted(request.headers.accept).sse)
      throw new McpError('NOT_ACCEPTABLE', 'expected Accept: text/event-stream')
    if (!streams.hasRoom(services.rules.maxStreams)) {
      throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: spreadRetry(30) })
    }
    // Left while its token was verified: its end would not be heard.
    if (reply.raw.destroyed) return
    const id = randomBytes(ID_BYTES).toString('base64url')
    auditRequest(services.audit, request, { ending: STREAMING, status: 200 })
    const wire = streams.hold(reply)
    const connection: Connection = {
      owner: ownerOf(request.caller),
      stream: new PlainStream(wire),
      session: undefined,
    }
    connections.set(id, connection)
    reply.raw.on('close', () => {
      connections.delete(id)
      if (connection.session !== undefined) sessions.close(connection.session)
    })
    wire.name('endpoint', `${prefix}/messages?sessionId=${id}`)
  }

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const connection = connectionOf(request)
    const { stream } = connection
    const message = readMessage(request.body)
    try {
      serve(message, { session: await sessionOf(connection, message, request), request, stream })
    } catch (error) {
      if (message.kind !== 'request' || !(error instanceof McpError)) throw error
      parts.log[services.audit.noteLevel]({ requestId: request.id, outcome: error.reason }, 'refused')
      // As an answer, so that a client which tries a newer revision first goes on with this one.
      const { status, json } = errorAnswer(error, message.id)
      auditRequest(services.audit, request, {
        ending: endingOfError(error),
        status,
        responseBytes: Buffer.byteLength(json),
      })
      stream.send(json)
    }
    return reply.code(202).send()
  }

  async function sessionOf(connection: Connection, message: Message, request: FastifyRequest): Promise<Session> {
    if (claimsModern(message))
      throw new McpError('INVALID_REQUEST', 'its metadata is of a revision that is served elsewhere')
    const session = isHandshake(message) ? await begin(connection, message.params, request) : connection.session
    if (session === undefined) throw new McpError('SESSION_REQUIRED', 'begin with initialize')
    return session
  }

  function connectionOf({ query, caller }: FastifyRequest): Connection {
    const { sessionId } = query as { sessionId?: unknown }
    const connection = typeof sessionId === 'string' ? connections.get(sessionId) : undefined
    if (connection !== undefined && connection.owner === ownerOf(caller)) return connection
    throw new McpError('SESSION_NOT_FOUND', 'open a new one with GET /sse')
  }

  async function begin(connection: Connection, params: JsonObject, { caller }: FastifyRequest): Promise<Session> {
    if (connection.session !== undefined) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    const session = await openSession(sessions, params, caller)
    connection.session = session
    // Its client may have left before there was a session to end.
    if (!connection.stream.isConnected) await sessions.close(session)
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

  const guards = [app.checkOrigin, app.shedLoad, app.authenticate, app.limitCaller]
  app.get('/sse', { onRequest: guards, exposeHeadRoute: false }, connect)
  app.post('/messages', { onRequest: [...guards, app.checkMedia] }, take)
  app.options('/messages', { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
}
