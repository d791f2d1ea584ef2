// Plain HTTP: tools for clients that speak no MCP, such as curl. Each request becomes a request of
// the newest revision, behind the guards of the MCP endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createFileUri } from 'toolrack/definitions'
import { McpError } from 'toolrack/door'
import {
  addBodyParser,
  type BodyBytes,
  closeAfterwards,
  createErrorHandler,
  createMediaPattern,
  GUARDS,
  methodNotAllowed,
  NAMED,
  type NamedUrls,
  type Runtime,
} from 'toolrack/http'
import { createDrainingError, type Inflight, parseJson } from 'toolrack/protocol'
import { getPathPrefix } from 'toolrack/settings'
import { readEncoded, readParts } from './form-fields.ts'
import { PROBLEMS } from './problems.ts'
import { answerCall, callTool, FormBody, readByQuery } from './routes/calls.ts'
import type { PlainRequest } from './routes/exchange.ts'
import { createLists } from './routes/lists.ts'
import { sendKeptFile } from './routes/results.ts'
import { answerTask, cancelTask, getTask } from './routes/tasks.ts'

const CONFIG = { door: 'plain-http' } as const

type Handle = (plain: PlainRequest) => Promise<void>

/** A path, and what each verb does there. */
interface Place {
  readonly url: string
  readonly verbs: Partial<Readonly<Record<'GET' | 'POST' | 'DELETE', Handle>>>
  /** Default: those of the URL. */
  readonly params?: PlainRequest['params']
  /** Whether a POST, or a GET with a query, calls the tool of the path. */
  readonly isCall?: boolean
}

/** Not empty: `/tools/` is the list. */
const NAME = ':name(^.+$)'

function createPlaces({ list, describe, openApi }: ReturnType<typeof createLists>): readonly Place[] {
  // A query calls the tool, with an empty one if it takes no arguments.
  const read: Handle = plain => (hasQuery(plain.request) ? readByQuery(plain) : describe(plain))
  const readFile: Handle = plain => sendKeptFile(plain, createFileUri(plain.params.id!, plain.params['*']!))
  return [
    { url: '/openapi.json', verbs: { GET: openApi } },
    { url: '/tools', verbs: { GET: list } },
    { url: `/tools/${NAME}`, verbs: { GET: read, POST: callTool }, isCall: true },
    { url: `/tools/${NAME}/answers`, verbs: { POST: answerCall }, isCall: true },
    { url: '/tools/tasks/:id', verbs: { GET: getTask, DELETE: cancelTask } },
    { url: '/tools/tasks/:id/answers', verbs: { POST: answerTask } },
    // A tool may have the name `tasks`.
    {
      url: '/tools/tasks/answers',
      params: { name: 'tasks', id: 'answers' },
      verbs: { GET: getTask, POST: answerCall, DELETE: cancelTask },
    },
    { url: '/tools/files/:id/*', verbs: { GET: readFile } },
  ]
}

export async function plainHttpRoutes(
  app: FastifyInstance,
  { runtime, resolved }: { readonly runtime: Runtime; readonly resolved: NamedUrls },
) {
  const lists = createLists(runtime, resolved)
  app.setErrorHandler(createErrorHandler(app, runtime, PROBLEMS))
  readBodies(app, runtime.bodies)
  for (const place of createPlaces(lists)) mountPlace(app, runtime, place)
  mountRest(app, runtime, lists.list)
}

const listGuards = (app: FastifyInstance, isCall = false) => [
  protect,
  app[GUARDS].checkOrigin,
  checkSite,
  app[GUARDS].shedLoad,
  ...(isCall ? [nameTool] : []),
  app[GUARDS].authenticate,
  app[GUARDS].limitCaller,
]

function mountPlace(app: FastifyInstance, runtime: Runtime, { url, verbs, params, isCall }: Place): void {
  const { maxBodyBytes: bodyLimit } = runtime.settings
  const guards = listGuards(app, isCall)
  for (const [method, handle] of Object.entries(verbs)) {
    const onRequest = [...guards, refuseWhileDraining(runtime.inflight), ...(method === 'GET' ? [] : [checkBody])]
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      answer(handle, toPlain(runtime, { request, reply, params }))
    app.route({ method, url, config: CONFIG, bodyLimit, onRequest, exposeHeadRoute: method === 'GET', handler })
  }
  const allowed = ['GET', 'HEAD', 'POST', 'DELETE'].filter(verb => Object.hasOwn(verbs, verb === 'HEAD' ? 'GET' : verb))
  const method = app.supportedMethods.filter(method => method !== 'OPTIONS' && !allowed.includes(method))
  // Before the body is read.
  const onRequest = [...guards, refuseVerb(allowed.join(', '))]
  app.route({ method, url, config: CONFIG, onRequest, handler: () => undefined })
  answerOptions(app, url, () => allowed.join(', '))
}

// Returns nothing to Fastify: a stream of events is not sent by it.
const answer = (handle: Handle, plain: PlainRequest): void => void handle(plain).catch(error => plain.reply.send(error))

const toPlain = (
  runtime: Runtime,
  {
    request,
    reply,
    params = request.params as object,
  }: Pick<PlainRequest, 'request' | 'reply'> & Pick<Place, 'params'>,
): PlainRequest => ({ runtime, request, reply, params, baseUrl: `${getPathPrefix(runtime.settings)}/tools` })

/** `/tools/` is the list, too; nothing else stands below it. */
function mountRest(app: FastifyInstance, runtime: Runtime, list: Handle): void {
  const isList = ({ params }: FastifyRequest) => (params as { '*': string })['*'] === ''
  const refuse: onRequestHookHandler = (request, reply, done) => {
    if (!isList(request)) done(new McpError('NOT_FOUND', 'a tool is called at /tools/NAME'))
    else if (request.method === 'GET' || request.method === 'HEAD') done()
    else refuseVerb(READ_VERBS).call(app, request, reply, done)
  }
  const onRequest = [...listGuards(app), refuseWhileDraining(runtime.inflight), refuse]
  const method = app.supportedMethods.filter(method => method !== 'OPTIONS')
  const handler = (request: FastifyRequest, reply: FastifyReply) => answer(list, toPlain(runtime, { request, reply }))
  app.route({ method, url: '/tools/*', config: CONFIG, onRequest, handler })
  answerOptions(app, '/tools/*', request => (isList(request) ? READ_VERBS : ''))
}

const READ_VERBS = 'GET, HEAD'

const refuseVerb =
  (allow: string): onRequestHookHandler =>
  (_request, reply, done) =>
    done(methodNotAllowed(reply, `this path takes ${allow}`, allow))

/** Preflights of browsers, and what a path takes. RFC 9110, 9.3.7. */
function answerOptions(app: FastifyInstance, url: string, findAllowed: (request: FastifyRequest) => string): void {
  const onRequest = [app[GUARDS].checkOrigin, app[GUARDS].limitCaller]
  app.options(url, { config: CONFIG, onRequest }, (request, reply) => {
    const allow = findAllowed(request)
    return app[GUARDS].answerPreflight(request, allow === '' ? reply : reply.header('allow', `${allow}, OPTIONS`))
  })
}

const hasQuery = ({ url }: FastifyRequest) => url.includes('?')

/** What a tool returns must not run, nor be kept by a proxy. */
const protect: onRequestHookHandler = (_request, reply, done) => {
  reply
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    .header('cache-control', 'no-store')
  done()
}

// A page of another site can send a form without asking, and without an Origin in some browsers.
const checkSite: onRequestHookHandler = ({ headers }, _reply, done) => {
  const site = headers['sec-fetch-site']
  const isForeign = headers.origin === undefined && (site === 'cross-site' || site === 'same-site')
  done(isForeign ? new McpError('FORBIDDEN_ORIGIN', `Sec-Fetch-Site: ${site}`) : undefined)
}

/** A challenge can then name the scopes of the tool. */
const nameTool: onRequestHookHandler = (request, _reply, done) => {
  const { name } = request.params as { name: string }
  if (request.method === 'POST' || hasQuery(request)) request[NAMED] = { method: 'tools/call', name }
  done()
}

const JSON_BODY = 'application/json'
const FORM_BODY = 'application/x-www-form-urlencoded'
const PARTS_BODY = 'multipart/form-data'
const BODY_TYPES = [JSON_BODY, FORM_BODY, PARTS_BODY]
const BODY_TYPE = createMediaPattern(...BODY_TYPES)

const checkBody: onRequestHookHandler = ({ headers }, reply, done) => {
  const type = headers['content-type']
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const isKnown = type === undefined ? !hasBody : BODY_TYPE.test(type)
  if (isKnown) return done()
  reply.header('accept-post', BODY_TYPES.join(', '))
  done(new McpError('UNSUPPORTED_MEDIA_TYPE', `expected ${JSON_BODY} or a form, in UTF-8 (curl --json, -d or -F)`))
}

function refuseWhileDraining(inflight: Inflight): onRequestHookHandler {
  return (_request, reply, done) => {
    if (!inflight.isDraining) return done()
    closeAfterwards(reply)
    done(createDrainingError())
  }
}

function readBodies(app: FastifyInstance, bodies: BodyBytes): void {
  // An empty body has no arguments.
  const read = (type: string, parse: (body: Buffer, request: FastifyRequest) => unknown) =>
    addBodyParser(app, {
      type,
      bodies,
      parse: (body, request) => (body.length === 0 ? undefined : parse(body, request)),
    })
  app.removeAllContentTypeParsers()
  read(JSON_BODY, body => parseJson(body))
  read(FORM_BODY, body => new FormBody(async () => readEncoded(body)))
  read(PARTS_BODY, (body, { headers }) => new FormBody(() => readParts(body, headers['content-type']!)))
}
