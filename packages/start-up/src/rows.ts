// The start-up report: the tools, the callers, the addresses, the features that are off and the
// settings that enable them. As rows for the table of a terminal, or as one JSON log line.
import { existsSync } from 'node:fs'
import { VERSIONS } from 'toolrack/protocol'
import { getBackend, type StartUpRow } from 'toolrack/records'
import type { Runtime } from 'toolrack/server'
import {
  acceptsTokens,
  getPathPrefix,
  getPublicUrl,
  hasAccessControl,
  isLoopback,
  type ServerInfo,
  type Settings,
  toOpenUrl,
  wantsTelemetry,
} from 'toolrack/settings'
import type { State, Store } from 'toolrack/stores'
import { toOneLine } from 'toolrack/text'

type Catalog = Runtime['catalog']

/** In the order of a terminal. The nouns of doors come after the page. */
export const NOUNS = [
  'Server',
  'Endpoint',
  'Page',
  'Access',
  'Tools',
  'Missing',
  'Left out',
  'Problems',
  'Also',
  'On',
  'Off',
  'Next',
] as const
type Noun = (typeof NOUNS)[number]

const toShown = (noun: Noun, text: string, items?: readonly string[]): Pick<StartUpRow, 'shown'> => ({
  shown: { noun, text, ...(items !== undefined && { items }) },
})

interface Features {
  readonly serverInfo: ServerInfo
  /** Whether it is registered in an existing app, which has its own routes. */
  readonly isPlugin: boolean
  /** The rows of the doors, with the server's URL before their paths. */
  describeDoors(base: string): readonly StartUpRow[]
  readonly ways: Runtime['ways']
  readonly isTraced: boolean
  readonly isAudited: boolean
  readonly state: State
  /** The folders with tools; undefined if only the program adds them. */
  readonly toolsDir: readonly string[] | undefined
  /** Why definitions of the folders are not served, one line each. */
  readonly problems: readonly string[]
}

export function describeStartUp(settings: Settings, catalog: Catalog, features: Features): readonly StartUpRow[] {
  const { isPlugin, isTraced, isAudited, problems } = features
  const server = describeServer(features.serverInfo)
  return [
    { name: 'server', on: server, ...toShown('Server', server) },
    ...describeAddresses(settings, features),
    { name: 'revisions', on: VERSIONS.join(' ') },
    describeAccess(settings, features),
    describeTools(catalog, features),
    ...describeDisabledTools(catalog.disabled),
    ...(catalog.tools.size === 0 ? [] : describeProblems(problems)),
    describeOthers(catalog),
    describeState(features.state),
    isPlugin ? { name: 'metrics', on: 'app.toolrack.metrics(), for a route of the app' } : describeMetrics(settings),
    describeTracing(isTraced),
    describeTaskTools(settings),
    describeAudit(settings, isAudited),
  ]
}

function describeServer({ name, version, title }: ServerInfo): string {
  const text = toOneLine(`${name} ${version}`)
  return title === undefined ? text : `${toOneLine(title)} (${text})`
}

function describeAddresses(settings: Settings, features: Features): readonly StartUpRow[] {
  const endpoint = toOpenUrl(getPublicUrl(settings))
  const base = `${endpoint.origin}${getPathPrefix(settings)}`
  // In another app, `/` belongs to the app.
  const page = features.isPlugin || settings.mcpPath === '/' ? endpoint.href : `${base}/`
  return [
    { name: 'endpoint', on: endpoint.href, ...toShown('Endpoint', endpoint.href) },
    { name: 'page', on: page, ...toShown('Page', page) },
    ...features.describeDoors(base),
  ]
}

function describeTools({ tools }: Catalog, { toolsDir }: Features): StartUpRow {
  const names = tools.all().map(({ name }) => name)
  const from = toolsDir === undefined ? '' : ` from ${toolsDir.join(', ')}`
  if (names.length > 0)
    return {
      name: 'tools',
      on: `${names.length}: ${shortenNames(names)}`,
      ...toShown('Tools', `${names.length}${from}`, names),
    }
  if (toolsDir === undefined) return { name: 'tools', on: 'none', ...toShown('Tools', 'none') }
  const hint = explainNoTools(toolsDir)
  return { name: 'tools', on: 'none', hint, ...toShown('Tools', `none; ${hint}`) }
}

function describeOthers({ resources, templates, prompts }: Catalog): StartUpRow {
  const [ofResources, ofPrompts] = [resources.size + templates.size, prompts.size]
  const row = { name: 'resources, prompts', on: `${ofResources}, ${ofPrompts}` }
  if (ofResources + ofPrompts === 0) return row
  const count = (number: number, noun: string) => (number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`])
  return { ...row, ...toShown('Also', [...count(ofResources, 'resource'), ...count(ofPrompts, 'prompt')].join(', ')) }
}

/** Files that did not load. The log has the reasons. */
function describeProblems(problems: readonly string[]): readonly StartUpRow[] {
  if (problems.length === 0) return []
  const files = [...new Set(problems.map(problem => problem.split(/(?::\d+)?: /, 1)[0]!))]
  const on = shortenNames(files, ', ')
  return [
    {
      name: 'problems',
      on,
      ...toShown('Problems', `${files.length} file${files.length === 1 ? '' : 's'}, explained above`, files),
    },
  ]
}

function explainNoTools(toolsDir: readonly string[]): string {
  const missing = toolsDir.find(folder => !existsSync(folder))
  if (missing !== undefined)
    return `there is no folder ${missing}; toolrack init makes one, with a tool, and SAMPLES=true serves those that ship`
  const [verb, folders] = [toolsDir.length === 1 ? 'has' : 'have', toolsDir.join(', ')]
  return `${folders} ${verb} none that can be served; toolrack check says why`
}

/** Rows for disabled tools; an empty list if all are served. */
function describeDisabledTools(withheld: Catalog['disabled']): readonly StartUpRow[] {
  const tools = withheld.filter(({ entry }) => entry.kind === 'tool')
  const needy = tools.filter(({ missing }) => missing.length > 0)
  const lacking = needy.map(({ entry, missing }) => `${entry.key}: ${missing.join(' and ')}`)
  const shown = needy.map(({ entry, missing }) => `${entry.key} (${missing.join(' and ')})`)
  const unwanted = tools.filter(({ missing }) => missing.length === 0).map(({ entry }) => entry.key)
  return [
    ...(lacking.length > 0
      ? [
          {
            name: 'tools that need',
            on: shortenNames(lacking, ', '),
            ...toShown('Missing', `${needy.length} tool${needy.length === 1 ? '' : 's'}`, shown),
          },
        ]
      : []),
    ...(unwanted.length > 0
      ? [
          {
            name: 'tools left out',
            on: `${shortenNames(unwanted)}, by TOOLS_INCLUDE or TOOLS_EXCLUDE`,
            ...toShown('Left out', `${unwanted.length} by TOOLS_INCLUDE or TOOLS_EXCLUDE`, unwanted),
          },
        ]
      : []),
  ]
}

function describeAccess(settings: Settings, { ways }: Features): StartUpRow {
  if (!hasAccessControl(settings)) {
    const hint = 'JWT_ISSUER or JWT_SECRET asks for tokens, API_KEYS_FILE for keys'
    const who = isLoopback(settings.host) ? 'anyone on this machine' : `anyone who reaches it; ${hint}`
    return { name: 'access', on: 'everybody who reaches it', hint, ...toShown('Access', who) }
  }
  const on = ways.map(({ description }) => description).join(', ')
  const row = { name: 'access', on, ...toShown('Access', on) }
  if (!acceptsTokens(settings) || ways.some(way => (way.authorizationServers ?? []).length > 0)) return row
  return { ...row, hint: 'AUTHORIZATION_SERVERS would tell clients where to get them' }
}

function describeState(state: State): StartUpRow {
  const name = 'state'
  const places = new Map<string, string[]>()
  for (const [store, value] of Object.entries(state)) {
    const place = getBackend(value as Store).name ?? 'memory'
    places.set(place, [...(places.get(place) ?? []), store])
  }
  const others = [...places].filter(([place]) => place !== 'memory')
  if (others.length === 0)
    return { name, on: 'in memory', hint: 'REDIS_URL shares it between replicas', ...toShown('Off', 'Redis') }
  if (places.size === 1) return { name, on: others[0]![0], ...toShown('On', others[0]![0]) }
  const on = others.map(([place, stores]) => `${stores.join(', ')} in ${place}`).join('; ')
  return { name, on: places.has('memory') ? `${on}; the rest in memory` : on, ...toShown('On', on) }
}

function describeTracing(isTraced: boolean): StartUpRow {
  if (isTraced) return { name: 'traces', on: 'OpenTelemetry', ...toShown('On', 'traces') }
  const hint = wantsTelemetry()
    ? 'OTEL_* ask for them; the log warns why there are none'
    : 'OTEL_EXPORTER_OTLP_ENDPOINT turns them on'
  return { name: 'traces', hint, ...toShown('Off', 'traces') }
}

function describeMetrics({ metrics, metricsPort, metricsToken }: Settings): StartUpRow {
  const name = 'metrics'
  if (!metrics) return { name, hint: 'METRICS=true turns them on', ...toShown('Off', 'metrics') }
  if (metricsPort !== undefined) return { name, on: `GET /metrics on port ${metricsPort}` }
  return metricsToken === undefined
    ? { name, on: 'GET /metrics, from this machine', hint: 'METRICS_TOKEN opens it' }
    : { name, on: 'GET /metrics, with METRICS_TOKEN' }
}

const describeTaskTools = ({ taskFallbackTools }: Settings): StartUpRow =>
  taskFallbackTools
    ? { name: 'task tools', on: 'get_task_result, cancel_task', ...toShown('On', 'task tools') }
    : {
        name: 'task tools',
        hint: 'TASK_FALLBACK_TOOLS=true has them, for clients that know no tasks',
        ...toShown('Off', 'task tools'),
      }

function describeAudit({ auditFile }: Settings, isAudited: boolean): StartUpRow {
  if (auditFile !== undefined) return { name: 'audit', on: auditFile, ...toShown('On', `audit in ${auditFile}`) }
  return isAudited
    ? { name: 'audit', on: 'with the log', hint: 'AUDIT_FILE gives it a place of its own' }
    : { name: 'audit', hint: 'AUDIT_FILE turns it on' }
}

const MAX_SHOWN_NAMES = 20
function shortenNames(names: readonly string[], separator = ' '): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(separator)
  return names.length > MAX_SHOWN_NAMES ? `${shown} and ${names.length - MAX_SHOWN_NAMES} more` : shown
}
