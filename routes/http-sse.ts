// HTTP+SSE, the transport of 2024-11-05, for clients that have no other: GET /sse opens the one stream over which
// everything is answered, and says where messages are posted. The session ends with its stream.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerOf } from '../src/access/identity.ts'
import { STREAMING } from '../src/audit/outcome.ts'
import type { Caller } from '../src/exchange.ts'
import { PlainStream } from '../src/legacy/plain-stream.ts'
import { McpError } from '../src/protocol/errors.ts'
import { parseJson } from '../src/protocol/json.ts'
import type { JsonObject } from '../src/protocol/messages.ts'
import { auditRequest } from '../src/transport/audit-request.ts'
import { type Connection, httpSseMessages } from './http-sse-messages.ts'
import { assertTaken, parcelOf, refusalOf, requestOf } from './http-sse-parcel.ts'
import { assertMayListen, type SessionParts } from './session-requests.ts'

export interface HttpSseOptions extends SessionParts {
  readonly maxBodyBytes: number
  /** What a proxy puts before the paths, such as `/shop`; or nothing. */
  readonly publicPrefix: string
}

const ID_BYTES = 24
/** Behind the name of the replica that holds the stream. */
const ID_LENGTH = 32

export async function httpSseRoutes(app: FastifyInstance, { maxBodyBytes, publicPrefix, ...parts }: HttpSseOptions) {
  const { sessions, streams, services, log } = parts
  const { peers } = sessions
  const connections = new Map<string, Connection>()
  const accept = httpSseMessages(parts)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    assertMayListen(parts, request)
    // Left while its token was verified: its end would not be heard.
    if (reply.raw.destroyed) return
    const id = peers.name + randomBytes(ID_BYTES).toString('base64url')
    auditRequest(services, request, { ending: STREAMING, status: 200 })
    const wire = streams.hold(reply)
    const connection: Connection = {
      owner: ownerOf(request.caller),
      stream: new PlainStream(wire),
      session: undefined,
    }
    connections.set(id, connection)
    reply.raw.on('close', () => {
      connections.delete(id)
      if (connection.session !== undefined) void sessions.abandon(connection.session)
    })
    wire.name('endpoint', `${publicPrefix}/messages?sessionId=${id}`)
  }

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = request.body as Buffer
    request.body = parseJson(body)
    const { sessionId: id } = request.query as { sessionId?: unknown }
    if (typeof id !== 'string') throw notFound()
    const holder = id.slice(0, -ID_LENGTH)
    if (holder === peers.name) await accept(connectionOf(id, request.caller), request)
    else await handOn(holder, parcelOf(id, request, body))
    return reply.code(202).send()
  }

  async function handOn(holder: string, parcel: JsonObject): Promise<void> {
    const answer = await peers.hand(holder, parcel)
    if (answer === undefined) throw notFound()
    assertTaken(answer)
  }

  peers.onHanded(async parcel => {
    try {
      const request = requestOf(parcel)
      await accept(connectionOf(String(parcel['connection']), request.caller), request)
      return {}
    } catch (error) {
      if (!(error instanceof McpError)) log.error({ err: error }, 'internal error')
      return refusalOf(error)
    }
  })

  function connectionOf(id: string, caller: Caller | undefined): Connection {
    const connection = connections.get(id)
    if (connection !== undefined && connection.owner === ownerOf(caller)) return connection
    throw notFound()
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, keepBody)
  const guards = [app.checkOrigin, app.shedLoad, app.authenticate, app.limitCaller]
  app.get('/sse', { onRequest: guards, exposeHeadRoute: false }, connect)
  app.post('/messages', { bodyLimit: maxBodyBytes, onRequest: [...guards, app.checkMedia] }, take)
  // Of a page that sends a token, or its revision, with GET too.
  for (const path of ['/sse', '/messages'])
    app.options(path, { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
}

// It may have to be handed on as it is.
async function keepBody(request: FastifyRequest, body: Buffer): Promise<Buffer> {
  request.bodyBytes = body.length
  return body
}

const notFound = () => new McpError('SESSION_NOT_FOUND', 'open a new one with GET /sse')
