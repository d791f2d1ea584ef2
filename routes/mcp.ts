// POST /mcp: every request walks down once — classify, open, dispatch, respond.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Answer } from '../src/answer.ts'
import { dispatch } from '../src/dispatch.ts'
import type { Log } from '../src/exchange.ts'
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
  readonly log: Log
}

export async function mcpRoutes(
  app: FastifyInstance,
  { path, maxBodyBytes, services, inflight, streams, log }: McpRouteOptions,
) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    (_request, body: Buffer, done) => {
      try {
        done(null, parseJson(body))
      } catch (error) {
        done(error as Error)
      }
    },
  )

  const refuseWhileDraining: onRequestHookHandler = (_request, reply, done) => {
    if (!inflight.isDraining) return done()
    reply.header('connection', 'close')
    done(new McpError('DRAINING', 'try another replica, or again in a moment', { retryAfterS: 1 }))
  }

  function serve(request: FastifyRequest, reply: FastifyReply): void {
    const { revision, message } = classify(request.headers, readMessage(request.body))
    if (message.kind === 'response') throw new McpError('INVALID_REQUEST', 'answer with inputResponses, not a response')
    if (message.kind === 'notification') return void reply.code(202).send()
    const connection = connect(request, reply)
    const exchange = openModern(revision, message, connection)
    followClient(reply.raw, connection.cancellation)
    inflight.begin()
    const answer = dispatch(exchange, services)
    if (answer instanceof Promise)
      answer.then(ready => finish(reply, ready, connection)).catch(error => reply.send(error))
    else finish(reply, answer, connection)
  }

  function connect({ headers, ip, id: requestId }: FastifyRequest, reply: FastifyReply) {
    const accepts = accepted(headers.accept)
    const sink = accepts.sse ? new LazySink(streams, reply) : undefined
    return {
      headers,
      caller: undefined,
      clientKey: ip,
      accepts,
      sink,
      cancellation: inflight.cancellation(),
      requestId,
      log,
    }
  }

  function finish(
    reply: FastifyReply,
    answer: Answer | undefined,
    { accepts, sink, cancellation }: ReturnType<typeof connect>,
  ): void {
    inflight.end()
    if (answer !== undefined && cancellation.reason !== 'client-left') respond(reply, answer, { accepts, sink })
  }

  // Without reading a body: what it holds makes no difference.
  const refuseVerb: onRequestHookHandler = (_request, reply, done) => {
    reply.header('allow', 'POST')
    done(new McpError('METHOD_NOT_ALLOWED', 'send each message as a POST'))
  }

  // The origin first, so that a page that may call can also read that it called too often.
  const guards = [app.checkOrigin, app.limitCaller]
  app.post(path, { onRequest: [...guards, app.checkMedia, refuseWhileDraining] }, serve)
  app.options(path, { onRequest: guards }, app.answerPreflight)
  app.route({
    method: ['GET', 'DELETE', 'PUT', 'PATCH'],
    url: path,
    onRequest: [...guards, refuseVerb],
    handler: () => undefined,
  })
}
