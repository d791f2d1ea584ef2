// Plain HTTP: tools for clients without MCP, such as curl. Each request becomes a request of the newest
// revision, behind the guards of the MCP endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createFileUri } from 'toolrack/definitions'
import { type DoorContext, McpError } from 'toolrack/door'
import { createMediaPattern, type ServerFacts } from 'toolrack/http'
import { parseJson } from 'toolrack/protocol'
import { readEncoded, readParts } from './form.ts'
import { answerCall, callTool, FormBody, readByQuery } from './routes/calls.ts'
import type { PlainRequest } from './routes/exchange.ts'
import { createLists } from './routes/lists.ts'
import { sendKeptFile } from './routes/results.ts'
import { answerTask, cancelTask, getTask } from './routes/tasks.ts'

type Handle = (plain: PlainRequest) => Promise<void>

/** A path, and its handler for each verb. */
interface Place {
  readonly url: string
  readonly verbs: Partial<Readonly<Record<'GET' | 'POST' | 'DELETE', Handle>>>
  /** Default: the params of the URL. */
  readonly params?: PlainRequest['params']
  /** Whether a POST, or a GET with a query, calls the tool of the path. */
  readonly isCall?: boolean
}

/** Not empty, because `/tools/` is the list. */
const NAME = ':name(^.+$)'

function createPlaces({ list, describe, openApi }: ReturnType<typeof createLists>): readonly Place[] {
  // A query calls the tool; an empty one calls a tool without arguments.
  const read: Handle = plain => (hasQuery(plain.request) ? readByQuery(plain) : describe(plain))
  const readFile: Handle = plain => sendKeptFile(plain, createFileUri(plain.params.id!, plain.params['*']!))
  return [
    { url: '/openapi.json', verbs: { GET: openApi } },
    { url: '/tools', verbs: { GET: list } },
    { url: `/tools/${NAME}`, verbs: { GET: read, POST: callTool }, isCall: true },
    { url: `/tools/${NAME}/answers`, verbs: { POST: answerCall }, isCall: true },
    { url: '/tools/tasks/:id', verbs: { GET: getTask, DELETE: cancelTask } },
    { url: '/tools/tasks/:id/answers', verbs: { POST: answerTask } },
    // `tasks` may also be the name of a tool.
    {
      url: '/tools/tasks/answers',
      params: { name: 'tasks', id: 'answers' },
      verbs: { GET: getTask, POST: answerCall, DELETE: cancelTask },
    },
    { url: '/tools/files/:id/*', verbs: { GET: readFile } },
  ]
}

export function plainHttpRoutes(app: FastifyInstance, context: DoorContext, facts: ServerFacts): void {
  const lists = createLists()
  readBodies(app, context)
  // Returns nothing to Fastify, which does not send a stream of events itself.
  const serve =
    (handle: Handle, fixed?: PlainRequest['params']) =>
    (request: FastifyRequest, reply: FastifyReply): void => {
      const params = fixed ?? (request.params as PlainRequest['params'])
      const signal = context.watchClient(reply)
      const baseUrl = `${context.pathPrefix}/tools`
      handle({ context, facts, request, reply, signal, params, baseUrl }).catch(error => reply.send(error))
    }
  for (const place of createPlaces(lists)) mountPlace(app, context, { ...place, serve })
  mountRest(app, context, serve(lists.list))
}

type Serve = (handle: Handle, fixed?: PlainRequest['params']) => (request: FastifyRequest, reply: FastifyReply) => void

function mountPlace(
  app: FastifyInstance,
  { createGuards, refuseWhileDraining, answerOptions, nameRequest, maxBodyBytes: bodyLimit }: DoorContext,
  { url, verbs, params, isCall, serve }: Place & { readonly serve: Serve },
): void {
  // A challenge can then name the scopes of the tool.
  const nameTool: onRequestHookHandler = (request, _reply, done) => {
    const { name } = request.params as { name: string }
    if (request.method === 'POST' || hasQuery(request)) nameRequest(request, { method: 'tools/call', name })
    done()
  }
  const guards = [protect, ...createGuards({ checks: isCall ? [checkSite, nameTool] : [checkSite] })]
  for (const [method, handle] of Object.entries(verbs)) {
    const onRequest = [...guards, refuseWhileDraining, ...(method === 'GET' ? [] : [checkBody])]
    app.route({ method, url, bodyLimit, onRequest, exposeHeadRoute: method === 'GET', handler: serve(handle, params) })
  }
  const allowed = ['GET', 'HEAD', 'POST', 'DELETE'].filter(verb => Object.hasOwn(verbs, verb === 'HEAD' ? 'GET' : verb))
  const allow = allowed.join(', ')
  const method = app.supportedMethods.filter(method => method !== 'OPTIONS' && !allowed.includes(method))
  // Refused before the body is read.
  app.route({ method, url, onRequest: [...guards, refuseVerb(allow)], handler: () => undefined })
  answerOptions(app, url, () => allow)
}

/** `/tools/` is also the list. All other paths below are not found. */
function mountRest(
  app: FastifyInstance,
  { createGuards, refuseWhileDraining, answerOptions }: DoorContext,
  list: ReturnType<Serve>,
): void {
  const isList = ({ params }: FastifyRequest) => (params as { '*': string })['*'] === ''
  const refuse: onRequestHookHandler = (request, reply, done) => {
    if (!isList(request)) done(new McpError('NOT_FOUND', 'a tool is called at /tools/NAME'))
    else if (request.method === 'GET' || request.method === 'HEAD') done()
    else refuseVerb(READ_VERBS).call(app, request, reply, done)
  }
  const onRequest = [protect, ...createGuards({ checks: [checkSite] }), refuseWhileDraining, refuse]
  const method = app.supportedMethods.filter(method => method !== 'OPTIONS')
  app.route({ method, url: '/tools/*', onRequest, handler: list })
  answerOptions(app, '/tools/*', request => (isList(request) ? READ_VERBS : ''))
}

const READ_VERBS = 'GET, HEAD'

const refuseVerb =
  (allow: string): onRequestHookHandler =>
  (_request, reply, done) => {
    reply.header('allow', allow)
    done(new McpError('METHOD_NOT_ALLOWED', `this path takes ${allow}`))
  }

const hasQuery = ({ url }: FastifyRequest) => url.includes('?')

/** The output of a tool must not run in a browser, and a proxy must not keep it. */
const protect: onRequestHookHandler = (_request, reply, done) => {
  reply
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    .header('cache-control', 'no-store')
  done()
}

// A page of another site can send a form without a preflight, and in some browsers without an Origin.
const checkSite: onRequestHookHandler = ({ headers }, _reply, done) => {
  const site = headers['sec-fetch-site']
  const isForeign = headers.origin === undefined && (site === 'cross-site' || site === 'same-site')
  done(isForeign ? new McpError('FORBIDDEN_ORIGIN', `Sec-Fetch-Site: ${site}`) : undefined)
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

function readBodies(app: FastifyInstance, context: DoorContext): void {
  // An empty body has no arguments.
  const read = (type: string, parse: (body: Buffer, request: FastifyRequest) => unknown) =>
    context.readBodies(app, {
      type,
      parse: (body, request) => (body.length === 0 ? undefined : parse(body, request)),
    })
  app.removeAllContentTypeParsers()
  read(JSON_BODY, body => parseJson(body))
  read(FORM_BODY, body => new FormBody(async () => readEncoded(body)))
  read(PARTS_BODY, (body, { headers }) => new FormBody(() => readParts(body, headers['content-type']!)))
}
