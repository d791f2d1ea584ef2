// The endpoint: every POST walks down once — classify, open, dispatch, respond. What belongs to a session goes its own
// way from the second step on (session-post.ts, session-news.ts).
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Answer } from '../src/answer.ts'
import { dispatch } from '../src/dispatch.ts'
import { drainingError, type Inflight } from '../src/inflight.ts'
import { openModern } from '../src/modern/open.ts'
import { classify, type Inbound, unsupportedVersion } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { type Headers, headerOf } from '../src/protocol/headers.ts'
import { parseJson } from '../src/protocol/json.ts'
import { MODERN_VERSIONS, revisionOf } from '../src/protocol/revisions/index.ts'
import { accepted } from '../src/transport/accept.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import { followClient } from '../src/transport/disconnect.ts'
import { LazySink } from '../src/transport/lazy-sink.ts'
import { readBody } from '../src/transport/read-body.ts'
import { respond } from '../src/transport/respond.ts'
import { wrongVerb } from '../src/transport/wrong-verb.ts'
import { sessionNews } from './session-news.ts'
import { sessionPost } from './session-post.ts'
import type { SessionParts } from './session-requests.ts'

export interface McpRouteOptions extends SessionParts {
  readonly path: string
  readonly maxBodyBytes: number
  readonly bodies: BodyBytes
}

export async function mcpRoutes(app: FastifyInstance, options: McpRouteOptions) {
  const { path, services, inflight, streams, log, maxBodyBytes: bodyLimit } = options
  parseJsonBodies(app, options.bodies)
  const serveSession = sessionPost({ ...options, countMessage: app.countMessage })
  const news = sessionNews(options)

  function serve(request: FastifyRequest, reply: FastifyReply): void {
    const inbound = classify(request.headers, request.body)
    if (inbound.era === 'modern') serveModern(inbound, request, reply)
    else serveSession(inbound, request, reply)
  }

  function serveModern(
    { revision, message }: Extract<Inbound, { era: 'modern' }>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (message.kind === 'response') throw new McpError('INVALID_REQUEST', 'answer with inputResponses, not a response')
    if (message.kind === 'notification') return void reply.code(202).send()
    const connection = connect(request, reply)
    const exchange = openModern(revision, message, connection)
    request.isAudited = true
    inflight.begin()
    const answer = dispatch(exchange, services)
    // What is answered in the same turn, nobody can leave before.
    if (answer instanceof Promise || answer === undefined) followClient(reply.raw, connection.cancellation)
    if (answer instanceof Promise)
      answer.then(ready => finish(reply, ready, connection)).catch(error => reply.send(error))
    else finish(reply, answer, connection)
  }

  function connect(request: FastifyRequest, reply: FastifyReply) {
    const { headers, raw, caller, clientKey, id: requestId, bodyBytes: requestBytes } = request
    const { httpVersion } = raw
    const accepts = accepted(headers.accept)
    const sink = accepts.sse ? new LazySink(streams, reply) : undefined
    const cancellation = inflight.cancellation()
    return { headers, httpVersion, caller, clientKey, accepts, sink, cancellation, requestId, requestBytes, log }
  }

  const { unsent } = services

  function finish(
    reply: FastifyReply,
    answer: Answer | undefined,
    { accepts, sink, cancellation }: ReturnType<typeof connect>,
  ): void {
    inflight.end()
    if (answer !== undefined && cancellation.reason !== 'client-left') respond(reply, answer, { accepts, sink, unsent })
  }

  // The origin first, so that a page that may call can also read that it called too often.
  const guards = [app.checkOrigin, app.authenticate, app.limitCaller]
  // Before a token is looked at: what is shed costs next to nothing.
  const bounded = [app.checkOrigin, app.shedLoad, app.authenticate, app.limitCaller]
  app.post(path, { bodyLimit, onRequest: [...bounded, app.checkMedia, refuseWhileDraining(inflight)] }, serve)
  // A preflight carries no token.
  app.options(path, { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
  app.get(path, { onRequest: [...bounded, refuseVerbOfModern], exposeHeadRoute: false }, news.listen)
  app.delete(path, { bodyLimit, onRequest: [...guards, refuseVerbOfModern] }, news.end)
  app.route({
    method: ['HEAD', 'PUT', 'PATCH'],
    url: path,
    onRequest: [...guards, refuseVerb],
    handler: () => undefined,
  })
}

export function parseJsonBodies(app: FastifyInstance, bodies: BodyBytes): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(bodies, request, payload, (error, body) => {
      if (body === undefined) return done(error)
      request.bodyBytes = body.length
      try {
        // An end needs no body, though some clients announce one.
        done(null, request.method === 'DELETE' ? undefined : parseJson(body))
      } catch (fault) {
        // Its bytes, in which the error finds the id that it answers.
        request.body = body
        done(fault as Error)
      }
    })
  })
}

// Before the body is read. Within a session it may hold an answer that a call under way waits for.
function refuseWhileDraining(inflight: Inflight): onRequestHookHandler {
  return ({ headers }, reply, done) => {
    if (!inflight.isDraining) return done()
    reply.header('connection', 'close')
    if (headers['mcp-session-id'] !== undefined && modernVersionOf(headers) === undefined) return done()
    done(drainingError())
  }
}

// Without reading a body: what it holds makes no difference.
const refuseVerb: onRequestHookHandler = (_request, reply, done) => {
  done(wrongVerb(reply, 'send each message as a POST'))
}

// The stateless revisions know POST only; what is no revision is refused as in a POST.
const refuseVerbOfModern: onRequestHookHandler = ({ headers }, reply, done) => {
  const named = headerOf(headers, 'mcp-protocol-version')?.trim()
  if (named !== undefined && revisionOf(named) === undefined) return done(unsupportedVersion(named))
  const version = modernVersionOf(headers)
  if (version === undefined) return done()
  done(wrongVerb(reply, `revision ${version} knows POST only`, 'POST'))
}

function modernVersionOf(headers: Headers): string | undefined {
  const version = headerOf(headers, 'mcp-protocol-version')?.trim()
  return MODERN_VERSIONS.find(modern => modern === version)
}
