// HTTP+SSE, the transport of 2024-11-05, for clients that have no other: GET /sse opens the one stream over which
// everything is answered, and says where messages are posted. A client whose stream drops comes back to its session.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerOf } from '../src/access/identity.ts'
import { STREAMING } from '../src/audit/outcome.ts'
import type { Caller } from '../src/exchange.ts'
import { RETRY_MS } from '../src/legacy/session-stream.ts'
import { McpError } from '../src/protocol/errors.ts'
import { parseJson } from '../src/protocol/json.ts'
import type { JsonObject } from '../src/protocol/messages.ts'
import { auditRequest } from '../src/transport/audit-request.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import type { EventStream } from '../src/transport/event-stream.ts'
import { readBody } from '../src/transport/read-body.ts'
import { type Address, type Connection, Connections, readAddress } from './http-sse-connections.ts'
import { httpSseMessages } from './http-sse-messages.ts'
import { assertTaken, isCaller, parcelOf, refusalOf, requestOf } from './http-sse-parcel.ts'
import { type Arrival, type Asked, Returns, readReturn, returnedParcel } from './http-sse-returns.ts'
import { assertMayListen, type SessionParts } from './session-requests.ts'

export interface HttpSseOptions extends SessionParts {
  readonly maxBodyBytes: number
  readonly bodies: BodyBytes
  /** What a proxy puts before the paths, such as `/shop`; or nothing. */
  readonly publicPrefix: string
  /** Where its clients learn how to get a token; undefined if there is no such place. */
  readonly metadataUrl: string | undefined
}

export async function httpSseRoutes(
  app: FastifyInstance,
  { maxBodyBytes, bodies, publicPrefix, metadataUrl, ...parts }: HttpSseOptions,
) {
  const { sessions, streams, services, log } = parts
  const { peers } = sessions
  const connections = new Connections(sessions)
  const returns = new Returns({ connections, sessions, log, resume })
  const accept = httpSseMessages(parts, connections)

  function connect(request: FastifyRequest, reply: FastifyReply): void {
    assertMayListen(parts, request)
    // Left while its token was verified: its end would not be heard.
    if (reply.raw.destroyed) return
    const { caller } = request
    // Before: a stream that is held lets go of what its request said.
    const back = readReturn(request.headers)
    auditRequest(services, request, { ending: STREAMING, status: 200 })
    const wire = streams.hold(reply)
    if (back === undefined) begin(connections.open({ owner: ownerOf(caller) }), wire)
    else returns.arrive({ wire, caller, back })
  }

  function resume(connection: Connection, { wire, back: { afterSeq } }: Arrival): void {
    connections.cameBack(connection)
    begin(connection, wire, afterSeq)
    connections.listen(connection)
  }

  function begin(connection: Connection, wire: EventStream, afterSeq?: number): void {
    const { stream } = connection
    const address = `${publicPrefix}/messages?sessionId=${connections.addressOf(connection)}`
    stream.attach(wire, afterSeq, () => wire.name('endpoint', address, { id: stream.position, retryMs: RETRY_MS }))
    wire.onClose(() => connections.left(connection, wire))
  }

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = request.body as Buffer
    request.body = parseJson(body)
    const address = readAddress((request.query as { sessionId?: unknown }).sessionId)
    if (address === undefined) throw notFound()
    const asked = Returns.askedBy(request.body)
    if (asked !== undefined) await takeReturn(asked, address, request)
    else if (address.holder === peers.name) await accept(connectionOf(address.id, request.caller), request)
    else await handOn(address.holder, parcelOf(address.holder + address.id, request, body))
    return reply.code(202).send()
  }

  async function takeReturn({ ping, replica }: Asked, address: Address, request: FastifyRequest): Promise<void> {
    if (replica !== peers.name) await handOn(replica, returnedParcel(ping, address.holder + address.id, request))
    else if (!returns.answered(ping, address, request.caller)) throw notFound()
  }

  async function handOn(holder: string, parcel: JsonObject): Promise<void> {
    const answer = await peers.hand(holder, parcel)
    if (answer === undefined) throw notFound()
    assertTaken(answer)
  }

  async function takeParcel(parcel: JsonObject): Promise<JsonObject> {
    switch (parcel['kind']) {
      case 'returned':
        return takeReturned(parcel)
      case 'leave':
        return { ...returns.leave(parcel) }
      case 'said':
        return hearSaid(parcel)
      default: {
        const request = requestOf(parcel)
        const id = readAddress(parcel['connection'])?.id ?? ''
        await accept(connectionOf(id, request.caller), request)
        return {}
      }
    }
  }

  function takeReturned({ ping, connection, caller }: JsonObject): JsonObject {
    const address = readAddress(connection)
    const isOurs = address !== undefined && (caller === undefined || isCaller(caller))
    if (!isOurs || !returns.answered(String(ping), address, caller)) throw notFound()
    return {}
  }

  // What a call says that was begun where its client was before.
  function hearSaid({ id, json, isAnswer }: JsonObject): JsonObject {
    const connection = connections.get(String(id))
    if (isAnswer === true) connection?.stream.answer(String(json))
    else connection?.stream.send(String(json))
    return {}
  }

  peers.onHanded(async parcel => {
    try {
      return await takeParcel(parcel)
    } catch (error) {
      if (!(error instanceof McpError)) log.error({ err: error }, 'internal error')
      return refusalOf(error)
    }
  })

  function connectionOf(id: string, caller: Caller | undefined): Connection {
    const connection = connections.find(id, ownerOf(caller))
    if (connection !== undefined) return connection
    throw notFound()
  }

  app.addHook('onClose', async () => {
    returns.close()
    connections.close()
  })
  app.removeAllContentTypeParsers()
  // It may have to be handed on as it is.
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(bodies, request, payload, (error, body) => {
      request.bodyBytes = body?.length ?? 0
      done(error, body)
    })
  })
  const guards = [app.checkOrigin, app.shedLoad, app.authenticate, app.limitCaller]
  const config = { metadataUrl }
  app.get('/sse', { config, onRequest: guards, exposeHeadRoute: false }, connect)
  app.post('/messages', { config, bodyLimit: maxBodyBytes, onRequest: [...guards, app.checkMedia] }, take)
  // Of a page that sends a token, or its revision, with GET too.
  for (const path of ['/sse', '/messages'])
    app.options(path, { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
}

const notFound = () => new McpError('SESSION_NOT_FOUND', 'open a new one with GET /sse')
