// What the page shows to one caller of this server. Loaded with the page, at its first request.
import { basename, relative } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { ExampleTool } from '../src/clients/client.ts'
import { describeClients } from '../src/clients/index.ts'
import { getAuthorizationServers, hasAccessControl } from '../src/config/access.ts'
import { readPackageVersion } from '../src/config/environment.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getToolsUrl } from '../src/config/public-url.ts'
import { isListed } from '../src/methods/lists.ts'
import { findListedTools } from '../src/methods/tools.ts'
import {
  cleanTitle,
  describeServer,
  findIcon,
  MAX_TOOLS,
  type Offer,
  type PageModel,
  toPageTool,
} from '../src/page/model.ts'
import { VERSIONS } from '../src/protocol/revisions/index.ts'
import type { CatalogEntry } from '../src/registry/catalog.ts'
import { UNKNOWN_CLIENT } from '../src/registry/handler-context.ts'
import type { Tool } from '../src/registry/tool.ts'
import type { Runtime } from '../src/runtime.ts'
import { isLocalRequest } from '../src/transport/local-request.ts'
import { getClientUrl } from './client-url.ts'

const TOOLRACK_VERSION = readPackageVersion()

interface Asked {
  readonly request: FastifyRequest
  readonly runtime: Runtime
  readonly resolved: ResolvedOptions
}

export function describePage(asked: Asked): PageModel {
  const { request, runtime, resolved } = asked
  const { settings, identity } = resolved
  const { name, version, icons } = identity
  const isGuarded = hasAccessControl(settings)
  const mayKnow = !isGuarded || request.caller !== undefined
  const url = getClientUrl(request, resolved)
  const plainHttp = { url: getToolsUrl(settings, url), isOn: runtime.doors.isOpen('plain-http') }
  const authorizationServers = getAuthorizationServers(settings, runtime.issuers)
  const tools = mayKnow ? findListedTools(runtime, request.caller, UNKNOWN_CLIENT) : []
  const offer = mayKnow ? describeOffer(asked, tools, plainHttp.isOn ? plainHttp.url : undefined) : undefined
  const consoleState = findConsole(asked)
  return {
    name: cleanTitle(name) ?? '',
    title: cleanTitle(identity.title),
    version: cleanTitle(version) ?? '',
    toolrackVersion: TOOLRACK_VERSION,
    icon: findIcon(icons),
    websiteUrl: mayKnow ? identity.websiteUrl : undefined,
    ...(mayKnow && describeServer(identity)),
    ...(offer?.firstTool !== undefined && {
      lead: describeServer(identity).lead ?? 'An MCP server without tools yet.',
    }),
    url,
    revisions: VERSIONS,
    signInHosts: authorizationServers.map(server => new URL(server).host),
    offer,
    clients: describeClients({
      url,
      name,
      access: isGuarded ? 'token' : 'open',
      authorizationServers,
      plainHttp,
      isPlugin: resolved.isPlugin,
      toolCount: offer?.toolCount,
      exampleTool: chooseExample(tools),
    }),
    links: describeLinks(asked, consoleState === undefined),
    hints: [
      ...(consoleState === undefined ? [] : [consoleState]),
      ...(plainHttp.isOn
        ? []
        : [`Plain HTTP is off; ${resolved.isPlugin ? '`plainHttp: true`' : '`PLAIN_HTTP=true`'} turns it on.`]),
    ],
  }
}

function describeOffer({ request, runtime, resolved }: Asked, tools: readonly Tool[], plainHttp?: string): Offer {
  const { caller } = request
  const { catalog } = runtime
  const isSeen = (entry: CatalogEntry) => isListed(runtime, entry, caller, UNKNOWN_CLIENT)
  const needsToken = hasAccessControl(resolved.settings)
  return {
    tools: tools
      .slice(0, MAX_TOOLS)
      .map(({ listed, scopes, name }) => toPageTool({ ...listed, name }, { scopes, plainHttp, needsToken })),
    toolCount: tools.length,
    resourceCount: [...catalog.resources.all(), ...catalog.templates.all()].filter(isSeen).length,
    promptCount: catalog.prompts.all().filter(isSeen).length,
    firstTool: catalog.tools.size === 0 ? { folder: findToolsFolder(resolved) } : undefined,
  }
}

/** As the operator writes it; of a path elsewhere, its last part. */
function findToolsFolder({ toolsDir }: ResolvedOptions): string | undefined {
  const [folder] = toolsDir ?? []
  if (folder === undefined) return undefined
  const path = relative('.', folder)
  return `${path === '' || path.startsWith('..') ? basename(folder) : path}/`
}

/** One that changes nothing, if there is one. */
function chooseExample(tools: readonly Tool[]): ExampleTool | undefined {
  const isReadOnly = ({ listed }: Tool) =>
    (listed['annotations'] as { readOnlyHint?: unknown } | undefined)?.readOnlyHint === true
  const tool = tools.find(isReadOnly) ?? tools[0]
  return tool && { name: tool.name, inputSchema: tool.listed['inputSchema'] }
}

/** @returns why there is none for this request; undefined if there is one */
function findConsole({ request, runtime, resolved }: Asked): string | undefined {
  const { settings, isPlugin } = resolved
  const setting = isPlugin ? '`console: true`' : '`CONSOLE=true`'
  if (!runtime.doors.isOpen('console')) return `The console is off; ${setting} turns it on.`
  if (hasAccessControl(settings) || request.caller !== undefined || isLocalRequest(request)) return undefined
  return 'Without access control the console is for the machine of the server only.'
}

function describeLinks({ request, runtime, resolved }: Asked, isConsoleOpen: boolean): PageModel['links'] {
  const root = toRoot(request, resolved.settings.mcpPath)
  return {
    console: isConsoleOpen ? `${root}console/` : undefined,
    openApi: runtime.doors.isOpen('plain-http') ? `${root}openapi.json` : undefined,
  }
}

/** From the page to the server's root, relative, since a proxy may have cut off a prefix. */
function toRoot({ routeOptions, url }: FastifyRequest, mcpPath: string): string {
  if (routeOptions.url === '/') return './'
  // An app may ignore a slash at the end.
  const isFolder = url.split('?', 1)[0]!.endsWith('/')
  const depth = mcpPath.replace(/\/$/, '').split('/').length - (isFolder ? 1 : 2)
  return `./${'../'.repeat(depth)}`
}
