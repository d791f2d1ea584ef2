// The page for browsers, at `/` and at the endpoint. Clients that ask for JSON or SSE never get it.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createUnknownPathHook } from '../plugins/errors.ts'
import { getAuthorizationServers, hasAccessControl } from '../src/config/access.ts'
import { hasConsole, hasPlainHttp } from '../src/config/doors.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { findListedTools } from '../src/methods/tools.ts'
import type { Offer, PageModel } from '../src/page/model.ts'
import { VERSIONS } from '../src/protocol/revisions/index.ts'
import type { Caller } from '../src/request/exchange.ts'
import type { Runtime } from '../src/runtime.ts'
import { acceptsPage } from '../src/transport/accept.ts'
import { setStallTimeout } from '../src/transport/event-stream.ts'
import { createHostRequiredError, lacksHost } from '../src/transport/target-host.ts'
import { getClientUrl } from './client-url.ts'

export const wantsPage = ({ headers }: FastifyRequest): boolean => acceptsPage(headers)

export const pass: onRequestHookHandler = (_request, _reply, done) => done()

/** A guard that is one thing for browsers and another for clients. */
export const forPages = (page: onRequestHookHandler, other: onRequestHookHandler): onRequestHookHandler =>
  function guard(request, reply, done) {
    ;(wantsPage(request) ? page : other).call(this, request, reply, done)
  }

/** Refusals are no page, and a cache must not show them to a browser. */
const varyByAccept: onRequestHookHandler = (_request, reply, done) => {
  reply.header('vary', 'Accept, Origin')
  done()
}

/** The page needs no token; one that is sent has to be good. @param authenticate of clients */
export function pageGuards(app: FastifyInstance, authenticate: onRequestHookHandler): onRequestHookHandler[] {
  const isSent: onRequestHookHandler = function check(request, reply, done) {
    if (request.headers.authorization === undefined) done()
    else app.authenticate.call(this, request, reply, done)
  }
  return [app.checkOrigin, varyByAccept, app.shedLoad, forPages(isSent, authenticate), app.limitCaller]
}

/** `/` of a server of its own; for all but browsers there is nothing. */
export async function rootRoutes(app: FastifyInstance, { runtime, page }: { runtime: Runtime; page: Page }) {
  const { settings, state } = runtime
  const refuseUnknown = createUnknownPathHook(settings, state.requestLimits)
  const refuse: onRequestHookHandler = (request, reply, done) =>
    lacksHost(request) ? done(createHostRequiredError()) : refuseUnknown(request, reply, done)
  app.get('/', { onRequest: [varyByAccept, forPages(pass, refuse), ...pageGuards(app, app.authenticate)] }, page.serve)
}

export interface Page {
  serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export function createPage(runtime: Runtime, resolved: ResolvedOptions): Page {
  return {
    async serve(request, reply) {
      // Loaded here, since most servers never show it.
      const { PAGE_HEADERS, renderPage } = await import('../src/page/page.ts')
      const text = renderPage(await describePage(request, runtime, resolved))
      reply.headers(PAGE_HEADERS).headers({ 'cache-control': 'no-store', vary: 'Accept, Authorization, Origin' })
      reply.type('text/html; charset=utf-8').send(text)
      setStallTimeout(reply.raw)
      return reply
    },
  }
}

async function describePage(request: FastifyRequest, runtime: Runtime, resolved: ResolvedOptions): Promise<PageModel> {
  const { cleanInstructions, cleanTitle, findIcon } = await import('../src/page/model.ts')
  const { describeClients } = await import('../src/clients/index.ts')
  const { settings, identity } = resolved
  const { name, version, icons } = identity
  const isGuarded = hasAccessControl(settings)
  const mayKnow = !isGuarded || request.caller !== undefined
  const url = getClientUrl(request, settings)
  const access = isGuarded ? 'token' : 'open'
  const clients = describeClients({ url, name, access, authorizationServers: getAuthorizationServers(settings) })
  return {
    name: cleanTitle(name) ?? '',
    title: cleanTitle(identity.title),
    version: cleanTitle(version) ?? '',
    icon: findIcon(icons),
    instructions: mayKnow ? cleanInstructions(identity.instructions) : undefined,
    url,
    revisions: VERSIONS,
    offer: mayKnow ? await describeOffer(runtime, request.caller) : undefined,
    clients,
    links: describeLinks(toRoot(request, settings.mcpPath), resolved),
  }
}

async function describeOffer(runtime: Runtime, caller: Caller | undefined): Promise<Offer> {
  const { MAX_TOOLS, toPageTool } = await import('../src/page/model.ts')
  const { catalog, access } = runtime
  const isListed = ({ scopes }: { readonly scopes: readonly string[] }) => access.may(caller, scopes)
  const tools = findListedTools(runtime, caller)
  return {
    tools: tools.slice(0, MAX_TOOLS).map(({ listed }) => toPageTool(listed)),
    toolCount: tools.length,
    resourceCount: [...catalog.resources.all(), ...catalog.templates.all()].filter(isListed).length,
    promptCount: catalog.prompts.all().filter(isListed).length,
  }
}

const describeLinks = (root: string, resolved: ResolvedOptions): PageModel['links'] => ({
  console: hasConsole(resolved.settings, resolved) ? `${root}console/` : undefined,
  openApi: hasPlainHttp(resolved.settings, resolved) ? `${root}openapi.json` : undefined,
})

/** From the page to the server's root, relative, since a proxy may have cut off a prefix. */
function toRoot({ routeOptions }: FastifyRequest, mcpPath: string): string {
  if (routeOptions.url === '/') return './'
  return `./${'../'.repeat(mcpPath.split('/').length - 2)}`
}
