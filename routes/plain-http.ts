// Plain HTTP: tools for clients that speak no MCP, such as curl. Each request becomes a request of
// the newest revision, behind the guards of the MCP endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { GUARDS } from '../plugins/guards.ts'
import { getPathPrefix } from '../src/config/public-url.ts'
import { readEncoded, readParts } from '../src/plain-http/form-fields.ts'
import { McpError } from '../src/protocol/errors.ts'
import { parseJson } from '../src/protocol/json.ts'
import { createFileUri } from '../src/registry/file-uri.ts'
import { createDrainingError, type Inflight } from '../src/request/inflight.ts'
import { settle } from '../src/request/maybe-promise.ts'
import type { Runtime } from '../src/runtime.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import { closeAfterwards } from '../src/transport/http-versions.ts'
import { createMediaPattern } from '../src/transport/media-type.ts'
import { addBodyParser } from '../src/transport/request-body.ts'
import { methodNotAllowed } from '../src/transport/respond.ts'
import type { NamedUrls } from './client-url.ts'
import { answerCall, callTool, createQueryRefusal, FormBody, readByQuery } from './plain-http-calls.ts'
import { nameMethod, type PlainRequest } from './plain-http-exchange.ts'
import { createLists } from './plain-http-lists.ts'
import { sendKeptFile } from './plain-http-results.ts'
import { answerTask, cancelTask, getTask } from './plain-http-tasks.ts'

const CONFIG = { door: 'plain-http' } as const

type Handle = (plain: PlainRequest, parts: readonly string[]) => Promise<void>

type HttpExchange = Pick<PlainRequest, 'request' | 'reply'>

/** What stands at a path below `/tools/`, by its parts. */
interface Place {
  matches(parts: readonly string[]): boolean
  readonly verbs: Readonly<Record<string, Handle>>
  /** Whether a POST calls the tool of the first part. */
  readonly isCall?: boolean
}

export async function plainHttpRoutes(
  app: FastifyInstance,
  { runtime, resolved }: { readonly runtime: Runtime; readonly resolved: NamedUrls },
) {
  const { inflight, settings, bodies } = runtime
  const { maxBodyBytes: bodyLimit } = settings
  const baseUrl = `${getPathPrefix(settings)}/tools`
  const lists = createLists(runtime, resolved)
  const places = createPlaces(lists)
  readBodies(app, bodies)

  const handle = (serve: Handle) => (request: FastifyRequest, reply: FastifyReply) => {
    serveParts(serve, { runtime, request, reply, baseUrl })
  }
  const guards = [
    protect,
    app[GUARDS].checkOrigin,
    checkSite,
    app[GUARDS].shedLoad,
    nameTool(places),
    app[GUARDS].authenticate,
    app[GUARDS].limitCaller,
  ]
  const onRequest = [...guards, refuseWhileDraining(inflight)]
  const below = handle((plain, parts) => findHandle(places, plain, parts)(plain, parts))

  const reading = { config: CONFIG, onRequest, exposeHeadRoute: true }
  app.get('/openapi.json', reading, handle(lists.openApi))
  app.get('/tools', reading, handle(lists.list))
  app.get('/tools/*', reading, below)
  app.route({
    method: ['POST', 'DELETE'],
    url: '/tools/*',
    config: CONFIG,
    bodyLimit,
    onRequest: [...onRequest, checkBody],
    handler: below,
  })
  refuseOtherVerbs(app, { guards, places })
  answerOptions(app, places)
}

/** Before the body is read. */
function refuseOtherVerbs(
  app: FastifyInstance,
  { guards, places }: { guards: readonly onRequestHookHandler[]; places: readonly Place[] },
): void {
  const refuse = (createRefusal: (exchange: HttpExchange) => McpError) => {
    const hook: onRequestHookHandler = (request, reply, done) => done(createRefusal({ request, reply }))
    return { config: CONFIG, onRequest: [...guards, hook], handler: () => undefined }
  }
  const readOnly = refuse(({ reply }) => methodNotAllowed(reply, 'it can be read only', READ_VERBS))
  const listOthers = (...verbs: string[]) => app.supportedMethods.filter(method => !verbs.includes(method))
  for (const url of ['/tools', '/openapi.json'])
    app.route({ method: listOthers('GET', 'HEAD', 'OPTIONS'), url, ...readOnly })
  const below = refuse(exchange => createVerbRefusal(places, exchange))
  app.route({ method: listOthers('GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'), url: '/tools/*', ...below })
}

/** Preflights of browsers, and what a path takes. RFC 9110, 9.3.7. */
function answerOptions(app: FastifyInstance, places: readonly Place[]): void {
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const allow = request.routeOptions.url?.endsWith('*') ? findAllowed(places, request) : READ_VERBS
    return app[GUARDS].answerPreflight(request, allow === '' ? reply : reply.header('allow', `${allow}, OPTIONS`))
  }
  for (const url of ['/tools', '/tools/*', '/openapi.json'])
    app.options(url, { config: CONFIG, onRequest: [app[GUARDS].checkOrigin, app[GUARDS].limitCaller] }, answer)
}

function createPlaces({ list, describe }: ReturnType<typeof createLists>): readonly Place[] {
  const readFile: Handle = (plain, [, id, name]) => sendKeptFile(plain, createFileUri(id!, name!))
  return [
    { matches: ({ length, 0: name }) => length === 1 && name === '', verbs: { GET: list } },
    {
      matches: ({ length, 0: name }) => length === 1 && name !== '',
      verbs: { GET: readOrDescribe(describe), POST: withoutQuery(callTool) },
      isCall: true,
    },
    { matches: ({ length, 1: last }) => length === 2 && last === 'answers', verbs: { POST: answerCall }, isCall: true },
    {
      matches: ({ length, 0: first }) => length === 2 && first === 'tasks',
      verbs: { GET: getTask, DELETE: cancelTask },
    },
    {
      matches: ({ length, 0: first, 2: last }) => length === 3 && first === 'tasks' && last === 'answers',
      verbs: { POST: answerTask },
    },
    { matches: ({ length, 0: first }) => length === 3 && first === 'files', verbs: { GET: readFile } },
  ]
}

const hasQuery = ({ url }: FastifyRequest) => url.includes('?')

/** A query calls the tool, with an empty one if it takes no arguments. */
const readOrDescribe =
  (describe: Handle): Handle =>
  (plain, parts) =>
    hasQuery(plain.request) ? readByQuery(plain, parts) : describe(plain, parts)

// Ignored, the call would lack its arguments.
const withoutQuery =
  (handle: Handle): Handle =>
  (plain, parts) => {
    if (hasQuery(plain.request)) throw createQueryRefusal('a POST with a query')
    return handle(plain, parts)
  }

function serveParts(serve: Handle, plain: PlainRequest): void {
  settle(
    () => serve(plain, readPath(plain.request)),
    () => {},
    error => void plain.reply.send(error),
  )
}

/** The path below `/tools/`; the router has decoded it. */
const readPath = ({ params }: FastifyRequest): string[] => ((params as { '*'?: string })['*'] ?? '').split('/')

const READ_VERBS = 'GET, HEAD'

const toVerb = (method: string) => (method === 'HEAD' ? 'GET' : method)

/** @throws McpError NOT_FOUND (404), METHOD_NOT_ALLOWED (405) */
function findHandle(places: readonly Place[], { request, reply }: PlainRequest, parts: readonly string[]): Handle {
  const verb = toVerb(request.method)
  const handle = places.find(({ matches, verbs }) => matches(parts) && Object.hasOwn(verbs, verb))?.verbs[verb]
  if (handle !== undefined) return handle
  throw createVerbRefusal(places, { request, reply })
}

function createVerbRefusal(places: readonly Place[], { request, reply }: HttpExchange): McpError {
  const allow = findAllowed(places, request)
  if (allow === '') return new McpError('NOT_FOUND', 'a tool is called at /tools/NAME')
  return methodNotAllowed(reply, `this path takes ${allow}`, allow)
}

/** The verbs of a path below `/tools/`, as `Allow` lists them; empty if there is no such path. */
function findAllowed(places: readonly Place[], request: FastifyRequest): string {
  const parts = readPath(request)
  const verbs = places.flatMap(place => (place.matches(parts) ? Object.keys(place.verbs) : []))
  return [...new Set(verbs)].map(verb => (verb === 'GET' ? READ_VERBS : verb)).join(', ')
}

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
const nameTool =
  (places: readonly Place[]): onRequestHookHandler =>
  (request, _reply, done) => {
    const parts = readPath(request)
    const mayCall = request.method === 'POST' || (toVerb(request.method) === 'GET' && hasQuery(request))
    const isCall = mayCall && places.some(({ isCall, matches }) => isCall && matches(parts))
    if (isCall) request.headers = nameMethod(request.headers, 'tools/call', parts[0]) as typeof request.headers
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
