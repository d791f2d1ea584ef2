// HTTP+SSE, the transport of 2024-11-05. `GET /sse` opens the stream that carries all responses and
// sends the address for messages. A session lives in one process: replicas need a sticky proxy.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from 'toolrack'
import { type DoorContext, McpError } from 'toolrack/door'
import { type HttpSessions, RETRY_MS, type SseResponse } from 'toolrack/http'
import { isHandshake } from 'toolrack/messages'
import { claimsModern, type Message, MODERN_VERSIONS, readMessage } from 'toolrack/protocol'
import type { Session } from 'toolrack/stores'
import { type HttpSseClient, HttpSseClients, readAddress, toSessionId } from './connections.ts'
import { type Arrival, findReturnPing, Returns, readReturn } from './returns.ts'

export function httpSseRoutes(app: FastifyInstance, context: DoorContext, sessions: HttpSessions): void {
  const { guards, pathPrefix, maxBodyBytes: bodyLimit, log } = context
  const { registry } = sessions
  const clients = new HttpSseClients(registry)
  const returns = new Returns({ clients, sessions: registry, log, resume })
  const accept = httpSseMessages(sessions, clients)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    const owner = sessions.findOwner(request)
    // Read first: an open stream releases the headers of its request.
    const back = readReturn(request.headers)
    const connection = sessions.openStream(request, reply)
    if (connection === undefined) return
    if (back === undefined) begin(clients.open({ owner }), connection)
    else returns.arrive({ connection, owner, back })
  }

  function resume(client: HttpSseClient, { connection, back: { afterSeq } }: Arrival): void {
    clients.onReconnect(client)
    begin(client, connection, afterSeq)
    clients.listen(client)
  }

  function begin(client: HttpSseClient, connection: SseResponse, afterSeq?: number): void {
    const { stream, id } = client
    const address = `${pathPrefix}/messages?sessionId=${id}`
    stream.attach(connection, afterSeq, () =>
      connection.sendNamed('endpoint', address, { id: stream.position, retryMs: RETRY_MS }),
    )
    connection.onClose(() => clients.onDisconnect(client, connection))
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
    const client = clients.find(id, sessions.findOwner(request))
    if (client === undefined) throw sessionNotFound()
    await accept(client, request)
  }

  app.addHook('onClose', async () => {
    returns.close()
    clients.close()
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
export type Accept = (client: HttpSseClient, request: FastifyRequest) => Promise<void>

function httpSseMessages(sessions: HttpSessions, clients: HttpSseClients): Accept {
  const { registry } = sessions

  async function accept(client: HttpSseClient, request: FastifyRequest): Promise<void> {
    const message = readMessage(request.body)
    try {
      const session = await findOrBeginSession(client, message)
      serve(message, { session, request, client })
    } catch (error) {
      if (message.kind !== 'request' || !(error instanceof McpError)) throw error
      // Sent as a response, so that a client that tries a newer revision first can fall back.
      client.stream.answer(sessions.refuse(request, message, error).json)
    }
  }

  async function findOrBeginSession(client: HttpSseClient, message: Message): Promise<Session> {
    if (claimsModern(message))
      throw new McpError(
        'INVALID_REQUEST',
        `this request is of revision ${MODERN_VERSIONS[0]}; POST it to the MCP endpoint (/mcp)`,
      )
    const session = isHandshake(message) ? await begin(client, message.params) : client.session
    if (session === undefined) throw new McpError('SESSION_REQUIRED', 'begin with initialize')
    return session
  }

  async function begin(client: HttpSseClient, params: JsonObject): Promise<Session> {
    const { id, owner } = client
    await endPresumed(client)
    const session = await sessions.begin(params, { owner, id: toSessionId(id) })
    client.session = session
    // The client may have left before the session was stored.
    if (clients.find(id, owner) !== client) await registry.abandon(session)
    return session
  }

  async function endPresumed(client: HttpSseClient): Promise<void> {
    const { session, stream, isRecreated } = client
    if (session === undefined) return
    if (!isRecreated) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    client.isRecreated = false
    // The stream now belongs to the next session.
    registry.get(session)?.removeStream(stream)
    await registry.close(session)
  }

  async function serve(
    message: Message,
    { session, request, client }: { session: Session; request: FastifyRequest; client: HttpSseClient },
  ): Promise<void> {
    if (message.kind !== 'request') return sessions.take(session, message)
    const { stream } = client
    const answer = await sessions.answer({ session, request, sink: stream.createSink() }, message)
    if (!isHandshake(message)) {
      if (answer !== undefined) stream.answer(answer.json)
      return
    }
    if (answer !== undefined) stream.send(answer.json)
    clients.listen(client)
  }

  return accept
}
