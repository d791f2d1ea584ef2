// What the page shows to one caller of this server. Loaded with the page, at its first request.
import type { FastifyRequest } from 'fastify'
import { describeClients } from '../src/clients/index.ts'
import { getAuthorizationServers, hasAccessControl } from '../src/config/access.ts'
import { hasConsole, hasPlainHttp } from '../src/config/doors.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { isListed } from '../src/methods/lists.ts'
import { findListedTools } from '../src/methods/tools.ts'
import {
  cleanDescription,
  cleanInstructions,
  cleanTitle,
  findIcon,
  MAX_TOOLS,
  type Offer,
  type PageModel,
  toPageTool,
} from '../src/page/model.ts'
import { VERSIONS } from '../src/protocol/revisions/index.ts'
import type { CatalogEntry } from '../src/registry/catalog.ts'
import { UNKNOWN_CLIENT } from '../src/registry/handler-context.ts'
import type { Caller } from '../src/request/exchange.ts'
import type { Runtime } from '../src/runtime.ts'
import { getClientUrl } from './client-url.ts'

export function describePage(request: FastifyRequest, runtime: Runtime, resolved: ResolvedOptions): PageModel {
  const { settings, identity } = resolved
  const { name, version, icons } = identity
  const isGuarded = hasAccessControl(settings)
  const mayKnow = !isGuarded || request.caller !== undefined
  const url = getClientUrl(request, settings)
  const access = isGuarded ? 'token' : 'open'
  const clients = describeClients({
    url,
    name,
    access,
    authorizationServers: getAuthorizationServers(settings, runtime.issuers),
  })
  return {
    name: cleanTitle(name) ?? '',
    title: cleanTitle(identity.title),
    version: cleanTitle(version) ?? '',
    icon: findIcon(icons),
    description: mayKnow ? cleanDescription(identity.description) : undefined,
    websiteUrl: mayKnow ? identity.websiteUrl : undefined,
    instructions: mayKnow ? cleanInstructions(identity.instructions) : undefined,
    url,
    revisions: VERSIONS,
    offer: mayKnow ? describeOffer(runtime, request.caller) : undefined,
    clients,
    links: describeLinks(toRoot(request, settings.mcpPath), resolved),
  }
}

function describeOffer(runtime: Runtime, caller: Caller | undefined): Offer {
  const { catalog } = runtime
  const isSeen = (entry: CatalogEntry) => isListed(runtime, entry, caller, UNKNOWN_CLIENT)
  const tools = findListedTools(runtime, caller, UNKNOWN_CLIENT)
  return {
    tools: tools.slice(0, MAX_TOOLS).map(({ listed }) => toPageTool(listed)),
    toolCount: tools.length,
    resourceCount: [...catalog.resources.all(), ...catalog.templates.all()].filter(isSeen).length,
    promptCount: catalog.prompts.all().filter(isSeen).length,
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
