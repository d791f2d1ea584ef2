// POST /mcp: every request walks down once — classify, open, dispatch, respond.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { dispatch } from '../src/dispatch.ts'
import type { Inflight } from '../src/inflight.ts'
import type { Services } from '../src/methods/method.ts'
import { openModern } from '../src/modern/open.ts'
import { classify } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { parseJson } from '../src/protocol/json.ts'
import { readMessage } from '../src/protocol/messages.ts'
import { accepted } from '../src/transport/accept.ts'
import { followClient } from '../src/transport/disconnect.ts'
import { respond } from '../src/transport/respond.ts'
import { LazySink, type Streams } from '../src/transport/sse.ts'

export interface McpRouteOptions {
  readonly path: string
  readonly maxBodyBytes: number
  readonly services: Services
  readonly inflight: Inflight
  readonly streams: Streams
}

export async function mcpRoutes(
  app: FastifyInstance,
  { path, maxBodyBytes, services, inflight, streams }: McpRouteOptions,
) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body: Buffer, done) => {
    try {
      done(null, parseJson(body))
    } catch (error) {
      done(error as Error)
    }
  })

  const refuseWhileDraining: onRequestHookHandler = (_request, reply, done) => {
    if (!inflight.isDraining) return done()
    reply.header('connection', 'close')
    done(new McpError('DRAINING', 'try another replica, or again in a moment', { retryAfterS: 1 }))
  }

  async function serve(request: FastifyRequest, reply: FastifyReply) {
    const { revision, message } = classify(request.headers, readMessage(request.body))
    if (message.kind === 'response')
      throw new McpError('INVALID_REQUEST', 'responses are not accepted; answer with inputResponses')
    if (message.kind === 'notification') return reply.code(202).send()
    const accepts = accepted(request.headers.accept)
    const sink = accepts.sse ? new LazySink(streams, reply) : undefined
    const cancellation = followClient(reply.raw)
    const { headers, ip, id: requestId, log } = request
    const connection = { headers, caller: undefined, clientKey: ip, sink, cancellation, requestId, log }
    inflight.add(cancellation)
    try {
      const exchange = openModern(revision, message, connection)
      const answer = await dispatch(exchange, services)
      return respond(reply, answer, sink, accepts)
    } finally {
      inflight.remove(cancellation)
    }
  }

  const guards = [app.limitCaller, app.checkOrigin]
  app.post(path, { onRequest: [...guards, app.checkMedia, refuseWhileDraining] }, serve)
  app.options(path, { onRequest: guards }, app.answerPreflight)
  app.route({
    method: ['GET', 'DELETE', 'PUT', 'PATCH'],
    url: path,
    onRequest: guards,
    handler(_request, reply) {
      reply.header('allow', 'POST')
      throw new McpError('METHOD_NOT_ALLOWED', 'send each message as a POST')
    },
  })
}
