// Builds the page for one caller of this server. Loaded with the page, at its first request.
import { basename, relative } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { type CatalogEntry, type Tool, UNKNOWN_CLIENT } from 'toolrack/definitions'
import { isLocalRequest, type ServerFacts } from 'toolrack/http'
import { VERSIONS } from 'toolrack/protocol'
import { getToolsUrl, hasAccessControl, readPackageVersion } from 'toolrack/settings'
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

export function describePage(request: FastifyRequest, facts: ServerFacts): PageModel {
  const { options, authorizationServers } = facts
  const { settings, identity, isPlugin } = options
  const { name, version, icons } = identity
  const isGuarded = hasAccessControl(settings)
  const mayKnow = !isGuarded || request.caller !== undefined
  const url = facts.getClientUrl(request)
  const plainHttp = { url: getToolsUrl(settings, url), isOn: facts.isDoorOpen('plain-http') }
  const isSeen = (entry: CatalogEntry) => facts.isListed(entry, request.caller, UNKNOWN_CLIENT)
  const tools = mayKnow ? facts.catalog.tools.all().filter(isSeen) : []
  const offer = mayKnow
    ? describeOffer(facts, { tools, isSeen, plainHttp: plainHttp.isOn ? plainHttp.url : undefined })
    : undefined
  const consoleState = findConsole(request, facts)
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
      isPlugin,
      toolCount: offer?.toolCount,
      exampleTool: chooseExample(tools),
    }),
    links: describeLinks(request, facts, consoleState === undefined),
    hints: [
      ...(consoleState === undefined ? [] : [consoleState]),
      ...(plainHttp.isOn
        ? []
        : [`Plain HTTP is off; ${isPlugin ? '`plainHttp: true`' : '`PLAIN_HTTP=true`'} turns it on.`]),
    ],
  }
}

interface Shown {
  readonly tools: readonly Tool[]
  isSeen(entry: CatalogEntry): boolean
  readonly plainHttp: string | undefined
}

function describeOffer({ options, catalog }: ServerFacts, { tools, isSeen, plainHttp }: Shown): Offer {
  const { settings, toolsDir } = options
  const needsToken = hasAccessControl(settings)
  return {
    tools: tools
      .slice(0, MAX_TOOLS)
      .map(({ listed, scopes, name }) => toPageTool({ ...listed, name }, { scopes, plainHttp, needsToken })),
    toolCount: tools.length,
    resourceCount: [...catalog.resources.all(), ...catalog.templates.all()].filter(isSeen).length,
    promptCount: catalog.prompts.all().filter(isSeen).length,
    firstTool: catalog.tools.size === 0 ? { folder: findToolsFolder(toolsDir) } : undefined,
  }
}

/** In the operator's form; for a path elsewhere, its last part. */
function findToolsFolder([folder]: readonly string[] = []): string | undefined {
  if (folder === undefined) return undefined
  const path = relative('.', folder)
  return `${path === '' || path.startsWith('..') ? basename(folder) : path}/`
}

/** Prefers a tool that changes nothing. */
function chooseExample(tools: readonly Tool[]): ExampleTool | undefined {
  const isReadOnly = ({ listed }: Tool) =>
    (listed['annotations'] as { readOnlyHint?: unknown } | undefined)?.readOnlyHint === true
  const tool = tools.find(isReadOnly) ?? tools[0]
  return tool && { name: tool.name, inputSchema: tool.listed['inputSchema'] }
}

/** @returns why this request cannot use the console; undefined if it can */
function findConsole(request: FastifyRequest, { options, isDoorOpen }: ServerFacts): string | undefined {
  const setting = options.isPlugin ? '`console: true`' : '`CONSOLE=true`'
  if (!isDoorOpen('console')) return `The console is off; ${setting} turns it on.`
  if (hasAccessControl(options.settings) || request.caller !== undefined || isLocalRequest(request)) return undefined
  return 'Without access control the console is for the machine of the server only.'
}

function describeLinks(
  request: FastifyRequest,
  { options, isDoorOpen }: ServerFacts,
  isConsoleOpen: boolean,
): PageModel['links'] {
  const root = toRoot(request, options.settings.mcpPath)
  return {
    console: isConsoleOpen ? `${root}console/` : undefined,
    openApi: isDoorOpen('plain-http') ? `${root}openapi.json` : undefined,
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
