// The console: its files, the facts that it needs about the server, and the recent calls.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type DoorContext, McpError } from 'toolrack/door'
import { isFromOwnPage, isLocalRequest, type ServerFacts, type ServerWork } from 'toolrack/http'
import { VERSIONS } from 'toolrack/protocol'
import { getConsoleDir, getResourceUri, hasAccessControl, nameAccessSettings } from 'toolrack/settings'
import { createConsoleHeaders } from '../page/headers.ts'
import { createReaderRecord, describeActivity, keepCalls, sampleLoad } from './activity.ts'
import { ConsoleFiles } from './files.ts'

interface ShownServer {
  readonly facts: ServerFacts
  readonly work: ServerWork
}

export function consoleRoutes(app: FastifyInstance, context: DoorContext, { facts, work }: ShownServer): void {
  const { settings, doubles } = facts.options
  const folder = doubles?.consoleDir ?? getConsoleDir()
  const files = new ConsoleFiles({ folder, prefix: `${app.prefix}/console/` })
  app.addHook('onClose', () => files.close())

  const setHeaders: onRequestHookHandler = (_request, reply, done) => {
    reply.headers(createConsoleHeaders(facts.authorizationServers))
    done()
  }
  const checks = hasAccessControl(settings) ? [] : [assertLocal]
  const forAll = { onRequest: [setHeaders, ...context.createGuards({ checks, isPublic: true })] }
  const forCallers = { onRequest: [setHeaders, assertOwnPage, ...context.createGuards({ checks })] }

  // Relative, since a proxy may have cut off a prefix of the path.
  const redirect = (_request: FastifyRequest, reply: FastifyReply) => reply.redirect('console/')
  const serveFile = (request: FastifyRequest, reply: FastifyReply) => files.serve(request, reply)
  // An app may ignore the slash at the end, and would redirect for ever.
  app.get('/console', forAll, (request, reply) =>
    isFolder(request) ? serveFile(request, reply) : redirect(request, reply),
  )
  app.get('/console/*', forAll, serveFile)

  app.get('/console/config.json', forAll, (request, reply) =>
    reply.header('cache-control', 'no-store').send(describeServer(request, facts)),
  )
  app.get('/console/api/me', forCallers, (request, reply) =>
    reply.header('cache-control', 'no-store').send(describeCaller(request)),
  )
  const recordReader = createReaderRecord(work)
  const kept = keepCalls(work)
  app.addHook('onClose', sampleLoad(work, kept))
  app.get('/console/api/activity', forCallers, (request, reply) => {
    const activity = describeActivity(request, work, kept)
    if (activity.scope !== 'own') recordReader(context.readFacts(request), activity.scope)
    return reply.header('cache-control', 'no-store').send(activity)
  })
}

/** The identity of the caller; without access control there is none. */
function describeCaller({ caller }: FastifyRequest) {
  if (caller === undefined) return {}
  const { subject: name, issuer, scopes, expiresAtMs } = caller
  return { name, issuer, scopes, ...(expiresAtMs && { expiresAt: new Date(expiresAtMs).toISOString() }) }
}

const isFolder = ({ url }: FastifyRequest) => url.split('?', 1)[0]!.endsWith('/')

// Without access control, anybody who reaches the console can read the calls of all.
const assertLocal: onRequestHookHandler = (request, _reply, done) => {
  // An app may have verified the caller itself.
  if (request.caller !== undefined || isLocalRequest(request)) return done()
  const why = `without access control the console is for this machine only; set ${nameAccessSettings()}`
  done(new McpError('NOT_FOUND', why))
}

/** The user's actions are only for the console, whose browser sends no Origin with these requests. */
const assertOwnPage: onRequestHookHandler = ({ headers }, _reply, done) => {
  const { origin } = headers
  done(origin === undefined || isFromOwnPage(headers) ? undefined : new McpError('FORBIDDEN_ORIGIN', origin))
}

/** URLs of the server itself are relative to `/console/`, so that they hold behind a proxy. */
function describeServer(request: FastifyRequest, facts: ServerFacts) {
  const { settings, identity, isPlugin } = facts.options
  const { name, title, version } = identity
  return {
    name,
    title,
    version,
    endpoint: `..${settings.mcpPath}`,
    publicUrl: facts.getClientUrl(request),
    isUrlFixed: facts.isUrlFixed,
    revisions: VERSIONS,
    access: hasAccessControl(settings) ? 'token' : 'open',
    authorizationServers: facts.authorizationServers,
    resource: getResourceUri(settings),
    plainHttp: facts.isDoorOpen('plain-http') ? '../tools' : null,
    isPlugin,
  }
}
