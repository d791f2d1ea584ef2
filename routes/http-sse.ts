// HTTP+SSE, the transport of 2024-11-05. `GET /sse` opens the stream that carries every answer and
// names the address for messages. A session lives in one process: replicas need a sticky proxy.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { getOwner } from '../src/auth/owner.ts'
import { RETRY_MS } from '../src/legacy/resumable-stream.ts'
import { STREAMING } from '../src/observability/ending.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { Runtime } from '../src/runtime.ts'
import type { SseResponse } from '../src/transport/event-stream.ts'
import { type HttpSseClient, HttpSseClients, readAddress } from './http-sse-connections.ts'
import { httpSseMessages } from './http-sse-messages.ts'
import { type Arrival, findReturnPing, Returns, readReturn } from './http-sse-returns.ts'
import { parseJsonBodies } from './mcp.ts'
import { assertMayListen } from './session-requests.ts'

export interface HttpSseOptions {
  readonly runtime: Runtime
  /** What a proxy puts before the paths, such as `/shop`; or nothing. */
  readonly publicPrefix: string
  /** Where its clients learn how to get a token; undefined if there is no such place. */
  readonly metadataUrl: string | undefined
}

export async function httpSseRoutes(app: FastifyInstance, { runtime, publicPrefix, metadataUrl }: HttpSseOptions) {
  const { sessions, streams, events, log, bodies, settings } = runtime
  const connections = new HttpSseClients(sessions)
  const returns = new Returns({ connections, sessions, log, resume })
  const accept = httpSseMessages(runtime, connections)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    assertMayListen(runtime, request)
    // The client may have left while its token was verified. A destroyed socket emits no further `close`.
    if (reply.raw.destroyed) return
    const { caller } = request
    // Before the stream opens: a stream that is held lets go of the headers of its request.
    const back = readReturn(request.headers)
    emitHttpEnded(events, request, { ending: STREAMING, status: 200 })
    const wire = streams.openDetached(reply)
    if (back === undefined) begin(connections.open({ owner: getOwner(caller) }), wire)
    else returns.arrive({ wire, caller, back })
  }

  function resume(connection: HttpSseClient, { wire, back: { afterSeq } }: Arrival): void {
    connections.onReconnect(connection)
    begin(connection, wire, afterSeq)
    connections.listen(connection)
  }

  function begin(connection: HttpSseClient, wire: SseResponse, afterSeq?: number): void {
    const { stream, id } = connection
    const address = `${publicPrefix}/messages?sessionId=${id}`
    stream.attach(wire, afterSeq, () => wire.sendNamed('endpoint', address, { id: stream.position, retryMs: RETRY_MS }))
    wire.onClose(() => connections.onDisconnect(connection, wire))
  }

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { caller, body, query } = request
    const id = readAddress((query as { sessionId?: unknown }).sessionId)
    if (id === undefined) throw sessionNotFound()
    const ping = findReturnPing(body)
    if (ping === undefined) await acceptMessage(id, request)
    else if (!returns.answered(ping, id, caller)) throw sessionNotFound()
    return reply.code(202).send()
  }

  async function acceptMessage(id: string, request: FastifyRequest): Promise<void> {
    const connection = connections.find(id, getOwner(request.caller))
    if (connection === undefined) throw sessionNotFound()
    await accept(connection, request)
  }

  app.addHook('onClose', async () => {
    returns.close()
    connections.close()
  })
  parseJsonBodies(app, bodies)
  const guards = [app.checkOrigin, app.shedLoad, app.authenticate, app.limitCaller]
  const config = { metadataUrl }
  app.get('/sse', { config, onRequest: guards, exposeHeadRoute: false }, connect)
  app.post('/messages', { config, bodyLimit: settings.maxBodyBytes, onRequest: [...guards, app.checkMedia] }, take)
  // A page that sends a token or a revision needs a preflight for GET too.
  for (const path of ['/sse', '/messages'])
    app.options(path, { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
}

const sessionNotFound = () =>
  new McpError(
    'SESSION_NOT_FOUND',
    'open a new one with GET /sse. Sessions of HTTP+SSE live in one process: replicas need a sticky proxy',
  )
