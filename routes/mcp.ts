// The MCP endpoint: each POST is classified, opened, dispatched and answered.
// session-post.ts and session-get.ts serve the requests of a session.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { GUARDS } from '../plugins/guards.ts'
import { serveMessage } from '../src/dispatch.ts'
import { findMirroredTarget } from '../src/methods/index.ts'
import { openMirrored } from '../src/open/modern.ts'
import { classify, type Inbound, unsupportedVersion } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { getHeader, type Headers } from '../src/protocol/headers.ts'
import { parseJson } from '../src/protocol/json.ts'
import { findRevision, MODERN_VERSIONS } from '../src/protocol/revisions/index.ts'
import type { Answer } from '../src/request/answer.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import { run } from '../src/request/steps.ts'
import type { Runtime } from '../src/runtime.ts'
import { parseAccept } from '../src/transport/accept.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import { addBodyParser } from '../src/transport/request-body.ts'
import { IS_AUDITED } from '../src/transport/request-facts.ts'
import { methodNotAllowed, ReplyStream, respond } from '../src/transport/respond.ts'
import { createDrainGuard } from './drain-guard.ts'
import { forPages, type Page, pageGuards, pass, wantsPage } from './page.ts'
import { createSessionHandlers } from './session-get.ts'
import { createSessionPost } from './session-post.ts'
import { type CountMessage, connect } from './session-requests.ts'

export interface McpRoutesOptions {
  readonly runtime: Runtime
  readonly page: Page
}

export async function mcpRoutes(app: FastifyInstance, { runtime, page }: McpRoutesOptions) {
  const { inflight, settings, bodies } = runtime
  const { mcpPath: path, maxBodyBytes: bodyLimit } = settings
  parseJsonBodies(app, bodies)
  const sessionHandlers = createSessionHandlers(runtime)
  const post = createPost(runtime, app[GUARDS].countMessage)

  // checkOrigin runs first, so that a browser page can read a rate-limit response.
  const guards = [app[GUARDS].checkOrigin, app[GUARDS].authenticate, app[GUARDS].limitCaller]
  // shedLoad runs before the token is verified: a shed request costs almost nothing.
  const bounded = [app[GUARDS].checkOrigin, app[GUARDS].shedLoad, app[GUARDS].authenticate, app[GUARDS].limitCaller]
  app.post(
    path,
    { bodyLimit, onRequest: [...bounded, app[GUARDS].checkMedia, createDrainGuard(inflight, mayAnswer)] },
    post,
  )
  app.options(path, { onRequest: [app[GUARDS].checkOrigin, app[GUARDS].limitCaller] }, app[GUARDS].answerPreflight)
  // A browser gets the page with or without a token.
  const read = [...pageGuards(app, app[GUARDS].authenticate), forPages(pass, refuseVerbOfModern)]
  app.get(path, { onRequest: read, exposeHeadRoute: false }, (request, reply) =>
    wantsPage(request) ? page.serve(request, reply) : sessionHandlers.listen(request, reply),
  )
  app.head(path, { onRequest: [...pageGuards(app, app[GUARDS].authenticate), forPages(pass, refuseVerb)] }, page.serve)
  app.delete(path, { bodyLimit, onRequest: [...guards, refuseVerbOfModern] }, sessionHandlers.end)
  app.route({
    method: ['PUT', 'PATCH'],
    url: path,
    onRequest: [...guards, refuseVerb],
    handler: () => undefined,
  })
}

function createPost(runtime: Runtime, countMessage: CountMessage) {
  const postToSession = createSessionPost(runtime, countMessage)

  // All requests that one turn of the event loop has read are served together, after the last is
  // read. That takes a third off the processor time of a call (decision 46).
  function post(request: FastifyRequest, reply: FastifyReply): void {
    setImmediate(servePost, request, reply)
  }

  function servePost(request: FastifyRequest, reply: FastifyReply): void {
    try {
      const posted = answerPost(request, reply)
      if (posted instanceof Promise) posted.catch(error => reply.send(error))
    } catch (error) {
      reply.send(error)
    }
  }

  function answerPost(request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
    const inbound = classify(request.headers, request.body)
    if (inbound.era === 'modern') return postModern(runtime, inbound, { request, reply })
    return run(postToSession(inbound, request, reply))
  }

  return post
}

/**
 * Opens, serves and answers one request that has its own metadata. Steps would cost a call 4 % here.
 */
function postModern(
  runtime: Runtime,
  { revision, message }: Extract<Inbound, { era: 'modern' }>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): MaybePromise<void> {
  if (message.kind === 'response') throw new McpError('INVALID_REQUEST', 'answer with inputResponses, not a response')
  if (message.kind === 'notification') return void reply.code(202).send()
  const accepts = parseAccept(request.headers.accept)
  const sink = accepts.sse ? new ReplyStream(runtime.streams, reply, accepts) : undefined
  const connection = connect(request, runtime, sink)
  const { cancellation } = connection
  const exchange = openMirrored(revision, message, connection, findMirroredTarget(revision, message.method))
  request[IS_AUDITED] = true
  const send = (answer: Answer | undefined): void => {
    if (answer === undefined || cancellation.reason === 'client-left') return
    respond(reply, answer, { accepts, sink, unsent: runtime.unsent })
  }
  const answering = serveMessage(exchange, runtime)
  // A request that is answered at once cannot lose its client meanwhile.
  if (answering instanceof Promise || answering === undefined) cancelOnDisconnect(reply.raw, cancellation)
  return answering instanceof Promise ? answering.then(send) : send(answering)
}

function parseJsonBodies(app: FastifyInstance, bodies: BodyBytes): void {
  app.removeAllContentTypeParsers()
  addBodyParser(app, {
    type: 'application/json',
    bodies,
    // DELETE needs no body, but some clients send one.
    parse: (body, { method }) => (method === 'DELETE' ? undefined : parseJson(body)),
  })
}

/** A session may still POST the answer that a running call waits for. */
const mayAnswer = ({ headers }: FastifyRequest): boolean =>
  headers['mcp-session-id'] !== undefined && findModernVersion(headers) === undefined

const refuseVerb: onRequestHookHandler = (_request, reply, done) => {
  done(methodNotAllowed(reply, 'send each message as a POST'))
}

// The stateless revisions accept only POST; an unknown revision is refused as in a POST.
const refuseVerbOfModern: onRequestHookHandler = ({ headers }, reply, done) => {
  const named = getHeader(headers, 'mcp-protocol-version')?.trim()
  if (named !== undefined && findRevision(named) === undefined) return done(unsupportedVersion(named))
  const version = findModernVersion(headers)
  if (version === undefined) return done()
  done(methodNotAllowed(reply, `revision ${version} knows POST only`, 'POST'))
}

function findModernVersion(headers: Headers): string | undefined {
  const version = getHeader(headers, 'mcp-protocol-version')?.trim()
  return MODERN_VERSIONS.find(modern => modern === version)
}
