// HTTP+SSE, the transport of 2024-11-05. `GET /sse` opens the stream that carries all responses and
// sends the address for messages. A session lives in one process: replicas need a sticky proxy.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from 'toolrack'
import { type DoorContext, McpError } from 'toolrack/door'
import { type HttpSessions, RETRY_MS, type SseResponse } from 'toolrack/http'
import { isHandshake } from 'toolrack/messages'
import { claimsModern, type Message, readMessage } from 'toolrack/protocol'
import type { Session } from 'toolrack/stores'
import { type HttpSseClient, HttpSseClients, readAddress, toSessionId } from './connections.ts'
import { type Arrival, findReturnPing, Returns, readReturn } from './returns.ts'

export function httpSseRoutes(app: FastifyInstance, context: DoorContext, sessions: HttpSessions): void {
  const { guards, pathPrefix, maxBodyBytes: bodyLimit, log } = context
  const { registry } = sessions
  const connections = new HttpSseClients(registry)
  const returns = new Returns({ connections, sessions: registry, log, resume })
  const accept = httpSseMessages(sessions, connections)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    const owner = sessions.findOwner(request)
    // Read first: an open stream releases the headers of its request.
    const back = readReturn(request.headers)
    const wire = sessions.openStream(request, reply)
    if (wire === undefined) return
    if (back === undefined) begin(connections.open({ owner }), wire)
    else returns.arrive({ wire, owner, back })
  }

  function resume(connection: HttpSseClient, { wire, back: { afterSeq } }: Arrival): void {
    connections.onReconnect(connection)
    begin(connection, wire, afterSeq)
    connections.listen(connection)
  }

  function begin(connection: HttpSseClient, wire: SseResponse, afterSeq?: number): void {
    const { stream, id } = connection
    const address = `${pathPrefix}/messages?sessionId=${id}`
    stream.attach(wire, afterSeq, () => wire.sendNamed('endpoint', address, { id: stream.position, retryMs: RETRY_MS }))
    wire.onClose(() => connections.onDisconnect(connection, wire))
  }

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { body, query } = request
    const id = readAddress((query as { sessionId?: unknown }).sessionId)
    if (id === undefined) throw sessionNotFound()
    const ping = findReturnPing(body)
    if (ping === undefined) await acceptMessage(id, request)
    else if (!returns.answered(ping, id, sessions.findOwner(request))) throw sessionNotFound()
    return reply.code(202).send()
  }

  async function acceptMessage(id: string, request: FastifyRequest): Promise<void> {
    const connection = connections.find(id, sessions.findOwner(request))
    if (connection === undefined) throw sessionNotFound()
    await accept(connection, request)
  }

  app.addHook('onClose', async () => {
    returns.close()
    connections.close()
  })
  app.removeAllContentTypeParsers()
  context.readBodies(app, { type: 'application/json' })
  app.get('/sse', { onRequest: [...guards], exposeHeadRoute: false }, connect)
  app.post('/messages', { onRequest: [...guards, sessions.checkMedia], bodyLimit }, take)
  // A page that sends a token or a revision header needs a preflight for GET too.
  for (const path of ['/sse', '/messages']) context.answerOptions(app, path)
}

const sessionNotFound = () =>
  new McpError(
    'SESSION_NOT_FOUND',
    'open a new one with GET /sse. Sessions of HTTP+SSE live in one process: replicas need a sticky proxy',
  )

/** Resolves once the message is accepted; a refused request is answered on the stream instead. */
export type Accept = (connection: HttpSseClient, request: FastifyRequest) => Promise<void>

function httpSseMessages(sessions: HttpSessions, connections: HttpSseClients): Accept {
  const { registry } = sessions

  async function accept(connection: HttpSseClient, request: FastifyRequest): Promise<void> {
    const message = readMessage(request.body)
    try {
      const session = await findOrBeginSession(connection, message)
      serve(message, { session, request, connection })
    } catch (error) {
      if (message.kind !== 'request' || !(error instanceof McpError)) throw error
      // Sent as a response, so that a client that tries a newer revision first can fall back.
      connection.stream.answer(sessions.refuse(request, message, error).json)
    }
  }

  async function findOrBeginSession(connection: HttpSseClient, message: Message): Promise<Session> {
    if (claimsModern(message))
      throw new McpError('INVALID_REQUEST', 'its metadata is of a revision that is served elsewhere')
    const session = isHandshake(message) ? await begin(connection, message.params) : connection.session
    if (session === undefined) throw new McpError('SESSION_REQUIRED', 'begin with initialize')
    return session
  }

  async function begin(connection: HttpSseClient, params: JsonObject): Promise<Session> {
    const { id, owner } = connection
    await endPresumed(connection)
    const session = await sessions.begin(params, { owner, id: toSessionId(id) })
    connection.session = session
    // The client may have left before the session was stored.
    if (connections.find(id, owner) !== connection) await registry.abandon(session)
    return session
  }

  async function endPresumed(connection: HttpSseClient): Promise<void> {
    const { session, stream, isRecreated } = connection
    if (session === undefined) return
    if (!isRecreated) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    connection.isRecreated = false
    // The stream now belongs to the next session.
    registry.get(session)?.removeStream(stream)
    await registry.close(session)
  }

  async function serve(
    message: Message,
    { session, request, connection }: { session: Session; request: FastifyRequest; connection: HttpSseClient },
  ): Promise<void> {
    if (message.kind !== 'request') return sessions.take(session, message)
    const { stream } = connection
    const answer = await sessions.answer({ session, request, sink: stream.createSink() }, message)
    if (!isHandshake(message)) {
      if (answer !== undefined) stream.answer(answer.json)
      return
    }
    if (answer !== undefined) stream.send(answer.json)
    connections.listen(connection)
  }

  return accept
}
