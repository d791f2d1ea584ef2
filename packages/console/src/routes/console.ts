// The console: its files, what it has to know of the server, and the recent calls.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { McpError } from 'toolrack/door'
import { findFixedUrl, GUARDS, getClientUrl, isFromOwnPage, isLocalRequest, type Runtime } from 'toolrack/http'
import { VERSIONS } from 'toolrack/protocol'
import {
  getAuthorizationServers,
  getConsoleDir,
  getResourceUri,
  hasAccessControl,
  nameAccessSettings,
  type ResolvedOptions,
} from 'toolrack/settings'
import { createConsoleHeaders } from '../page/headers.ts'
import { createReaderRecord, describeActivity, keepCalls, sampleLoad } from './activity.ts'
import { ConsoleFiles } from './files.ts'

export async function consoleRoutes(
  app: FastifyInstance,
  { runtime, resolved }: { readonly runtime: Runtime; readonly resolved: ResolvedOptions },
) {
  const { settings, doubles } = resolved
  const folder = doubles?.consoleDir ?? getConsoleDir()
  const files = new ConsoleFiles({ folder, prefix: `${app.prefix}/console/` })
  app.addHook('onClose', () => files.close())

  const setHeaders: onRequestHookHandler = (_request, reply, done) => {
    reply.headers(createConsoleHeaders(getAuthorizationServers(settings, runtime.issuers)))
    done()
  }
  const isOpen = !hasAccessControl(settings)
  const guards = [app[GUARDS].checkOrigin, ...(isOpen ? [assertLocal] : []), app[GUARDS].shedLoad]
  const forAll = { onRequest: [setHeaders, ...guards, app[GUARDS].limitCaller] }
  const forCallers = {
    onRequest: [setHeaders, assertOwnPage, ...guards, app[GUARDS].authenticate, app[GUARDS].limitCaller],
  }

  // Relative, since a proxy may have cut off a prefix of the path.
  const redirect = (_request: FastifyRequest, reply: FastifyReply) => reply.redirect('console/')
  const serveFile = (request: FastifyRequest, reply: FastifyReply) => files.serve(request, reply)
  // An app may ignore the slash at the end, and would redirect for ever.
  app.get('/console', forAll, (request, reply) =>
    isFolder(request) ? serveFile(request, reply) : redirect(request, reply),
  )
  app.get('/console/*', forAll, serveFile)

  app.get('/console/config.json', forAll, (request, reply) =>
    reply.header('cache-control', 'no-store').send(describeServer(request, runtime, resolved)),
  )
  app.get('/console/api/me', forCallers, (request, reply) =>
    reply.header('cache-control', 'no-store').send(describeCaller(request)),
  )
  const recordReader = createReaderRecord(runtime)
  const kept = keepCalls(runtime)
  app.addHook('onClose', sampleLoad(runtime, kept))
  app.get('/console/api/activity', forCallers, (request, reply) => {
    const activity = describeActivity(request, runtime, kept)
    if (activity.scope !== 'own') recordReader(request, activity.scope)
    return reply.header('cache-control', 'no-store').send(activity)
  })
}

/** As whom the caller is in. Without access control there is nobody. */
function describeCaller({ caller }: FastifyRequest) {
  if (caller === undefined) return {}
  const { subject: name, issuer, scopes, expiresAtMs } = caller
  return { name, issuer, scopes, ...(expiresAtMs && { expiresAt: new Date(expiresAtMs).toISOString() }) }
}

const isFolder = ({ url }: FastifyRequest) => url.split('?', 1)[0]!.endsWith('/')

// Without access control, whoever reaches the console reads the calls of all.
const assertLocal: onRequestHookHandler = (request, _reply, done) => {
  // An app of its own may have verified the caller.
  if (request.caller !== undefined || isLocalRequest(request)) return done()
  const why = `without access control the console is for this machine only; set ${nameAccessSettings()}`
  done(new McpError('NOT_FOUND', why))
}

/** What users do is for the console alone: its browser sends no Origin with these. */
const assertOwnPage: onRequestHookHandler = ({ headers }, _reply, done) => {
  const { origin } = headers
  done(origin === undefined || isFromOwnPage(headers) ? undefined : new McpError('FORBIDDEN_ORIGIN', origin))
}

/** URLs of the server itself are relative to `/console/`, so that they hold behind a proxy. */
function describeServer(request: FastifyRequest, { issuers, doors }: Runtime, resolved: ResolvedOptions) {
  const { settings, identity } = resolved
  const { name, title, version } = identity
  return {
    name,
    title,
    version,
    endpoint: `..${settings.mcpPath}`,
    publicUrl: getClientUrl(request, resolved),
    isUrlFixed: findFixedUrl(resolved) !== undefined,
    revisions: VERSIONS,
    access: hasAccessControl(settings) ? 'token' : 'open',
    authorizationServers: getAuthorizationServers(settings, issuers),
    resource: getResourceUri(settings),
    plainHttp: doors.isOpen('plain-http') ? '../tools' : null,
    isPlugin: resolved.isPlugin,
  }
}
