// What the page shows to one caller of this server. Loaded with the page, at its first request.
import { basename, relative } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { type CatalogEntry, type Tool, UNKNOWN_CLIENT } from 'toolrack/definitions'
import { findListedTools, getClientUrl, type Internals, isListed, isLocalRequest } from 'toolrack/http'
import { VERSIONS } from 'toolrack/protocol'
import {
  getAuthorizationServers,
  getToolsUrl,
  hasAccessControl,
  type ResolvedOptions,
  readPackageVersion,
} from 'toolrack/settings'
import type { ExampleTool } from '../clients/client.ts'
import { describeClients } from '../clients/index.ts'
import {
  cleanTitle,
  describeServer,
  findIcon,
  MAX_TOOLS,
  type Offer,
  type PageModel,
  toPageTool,
} from '../page/model.ts'

const TOOLRACK_VERSION = readPackageVersion()

export interface PageRequest extends Internals {
  readonly request: FastifyRequest
}

export function describePage(asked: PageRequest): PageModel {
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

function describeOffer({ request, runtime, resolved }: PageRequest, tools: readonly Tool[], plainHttp?: string): Offer {
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
function findConsole({ request, runtime, resolved }: PageRequest): string | undefined {
  const { settings, isPlugin } = resolved
  const setting = isPlugin ? '`console: true`' : '`CONSOLE=true`'
  if (!runtime.doors.isOpen('console')) return `The console is off; ${setting} turns it on.`
  if (hasAccessControl(settings) || request.caller !== undefined || isLocalRequest(request)) return undefined
  return 'Without access control the console is for the machine of the server only.'
}

function describeLinks({ request, runtime, resolved }: PageRequest, isConsoleOpen: boolean): PageModel['links'] {
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
