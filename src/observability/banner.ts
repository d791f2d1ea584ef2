// The start-up report: what is served, who may call, the addresses, what is off and which setting
// enables it. As rows for the table of a terminal, or as one JSON log line.
import { existsSync } from 'node:fs'
import { acceptsTokens, getAuthorizationServers, hasAccessControl } from '../config/access.ts'
import { hasConsole, hasPlainHttp } from '../config/doors.ts'
import { wantsTelemetry } from '../config/environment.ts'
import type { ServerInfo } from '../config/identity.ts'
import { getPathPrefix, getPublicUrl, toOpenUrl } from '../config/public-url.ts'
import type { Settings } from '../config/settings.ts'
import { VERSIONS } from '../protocol/revisions/index.ts'
import type { Catalog, DisabledEntry } from '../registry/catalog.ts'
import { toOneLine } from '../text/one-line.ts'

export type StartUpReport = Readonly<Record<string, string>>

export interface StartUpRow {
  readonly name: string
  /** What is on; none if it is off. */
  readonly on?: string
  /** How to turn it on, or to get more of it. */
  readonly hint?: string
  /** What the hint gives, if the name does not say it. */
  readonly hintName?: string
  /** The first page that an operator opens, and the second. */
  readonly link?: 'page' | 'console'
}

interface Features {
  readonly serverInfo: ServerInfo
  /** Registered in an existing app, which has routes of its own. */
  readonly isPlugin: boolean
  readonly isTraced: boolean
  readonly isAudited: boolean
  /** The folders that tools are loaded from; undefined if the program adds them. */
  readonly toolsDir: readonly string[] | undefined
}

export function describeStartUp(settings: Settings, catalog: Catalog, features: Features): readonly StartUpRow[] {
  const { isPlugin, isTraced, isAudited } = features
  const { resources, templates, prompts, disabled } = catalog
  return [
    { name: 'server', on: describeServer(features.serverInfo) },
    ...describeAddresses(settings, features),
    { name: 'revisions', on: VERSIONS.join(' ') },
    describeAccess(settings),
    describeTools(catalog, features),
    ...describeDisabledTools(disabled),
    { name: 'resources, prompts', on: `${resources.size + templates.size}, ${prompts.size}` },
    describeState(settings),
    isPlugin ? { name: 'metrics', on: 'app.toolrack.metrics(), for a route of the app' } : describeMetrics(settings),
    describeTracing(isTraced),
    describeTaskTools(settings),
    settings.httpSse ? { name: 'HTTP+SSE', on: 'GET /sse' } : { name: 'HTTP+SSE', hint: 'HTTP_SSE=true turns it on' },
    describeAudit(settings, isAudited),
  ]
}

/** The rows as fields of one log line. */
export const toReport = (rows: readonly StartUpRow[]): StartUpReport =>
  Object.fromEntries(rows.map(({ name, on = 'off', hint }) => [name, hint === undefined ? on : `${on}; ${hint}`]))

function describeServer({ name, version, title }: ServerInfo): string {
  const text = toOneLine(`${name} ${version}`)
  return title === undefined ? text : `${toOneLine(title)} (${text})`
}

function describeAddresses(settings: Settings, features: Features): readonly StartUpRow[] {
  const endpoint = toOpenUrl(getPublicUrl(settings))
  const base = `${endpoint.origin}${getPathPrefix(settings)}`
  // In an app of its own, `/` is the app's.
  const page = features.isPlugin || settings.mcpPath === '/' ? endpoint.href : `${base}/`
  return [
    { name: 'endpoint', on: endpoint.href },
    { name: 'page', on: page, link: 'page' },
    hasConsole(settings, features)
      ? { name: 'console', on: `${base}/console/`, link: 'console' }
      : { name: 'console', hint: 'CONSOLE=true turns it on, to call tools from a browser' },
    hasPlainHttp(settings, features)
      ? { name: 'plain HTTP', on: `POST ${base}/tools/NAME` }
      : { name: 'plain HTTP', hint: 'PLAIN_HTTP=true turns it on, to call tools by curl' },
  ]
}

function describeTools({ tools }: Catalog, { toolsDir }: Features): StartUpRow {
  const names = tools.all().map(({ name }) => name)
  if (names.length > 0) return { name: 'tools', on: `${names.length}: ${shortenNames(names)}` }
  if (toolsDir === undefined) return { name: 'tools', on: 'none' }
  return { name: 'tools', on: 'none', hint: explainNoTools(toolsDir), hintName: 'a first tool' }
}

function explainNoTools(toolsDir: readonly string[]): string {
  const missing = toolsDir.find(folder => !existsSync(folder))
  if (missing !== undefined)
    return `there is no folder ${missing}; toolrack init makes one, with a tool, and SAMPLES=true serves those that ship`
  const [verb, folders] = [toolsDir.length === 1 ? 'has' : 'have', toolsDir.join(', ')]
  return `${folders} ${verb} none that can be served; toolrack check says why`
}

/** Rows for tools that are disabled; none if all are served. */
function describeDisabledTools(withheld: readonly DisabledEntry[]): readonly StartUpRow[] {
  const tools = withheld.filter(({ entry }) => entry.kind === 'tool')
  const lacking = tools
    .filter(({ missing }) => missing.length > 0)
    .map(({ entry, missing }) => `${entry.key}: ${missing.join(' and ')}`)
  const unwanted = tools.filter(({ missing }) => missing.length === 0).map(({ entry }) => entry.key)
  return [
    ...(lacking.length > 0 ? [{ name: 'tools that need', on: shortenNames(lacking, ', ') }] : []),
    ...(unwanted.length > 0
      ? [{ name: 'tools left out', on: `${shortenNames(unwanted)}, by TOOLS_INCLUDE or TOOLS_EXCLUDE` }]
      : []),
  ]
}

function describeAccess(settings: Settings): StartUpRow {
  if (!hasAccessControl(settings)) {
    const hint = 'JWT_ISSUER or JWT_SECRET asks for tokens, API_KEYS_FILE for keys'
    return { name: 'access', on: 'everybody who reaches it', hint, hintName: 'access control' }
  }
  const on = describeCredentials(settings).join(', ')
  if (!acceptsTokens(settings) || getAuthorizationServers(settings).length > 0) return { name: 'access', on }
  const hint = 'AUTHORIZATION_SERVERS would tell clients where to get them'
  return { name: 'access', on, hint, hintName: 'sign-in' }
}

function describeCredentials({ jwtSecret, jwtIssuer, issuersFile, apiKeysFile }: Settings): string[] {
  const isOfIssuer = jwtSecret === undefined && jwtIssuer !== undefined
  return [
    ...(jwtSecret === undefined ? [] : ['tokens by JWT_SECRET']),
    ...(isOfIssuer ? [`tokens of ${jwtIssuer.join(' and ')}`] : []),
    ...(issuersFile === undefined ? [] : [`tokens of the issuers in ${issuersFile}`]),
    ...(apiKeysFile === undefined ? [] : [`API keys of ${apiKeysFile}`]),
  ]
}

const describeState = ({ redisUrl }: Settings): StartUpRow =>
  redisUrl === undefined
    ? { name: 'state', on: 'in memory', hint: 'REDIS_URL shares it between replicas', hintName: 'Redis' }
    : { name: 'state', on: 'Redis' }

function describeTracing(isTraced: boolean): StartUpRow {
  if (isTraced) return { name: 'traces', on: 'OpenTelemetry' }
  const hint = wantsTelemetry()
    ? 'OTEL_* ask for them; the log warns why there are none'
    : 'OTEL_EXPORTER_OTLP_ENDPOINT turns them on'
  return { name: 'traces', hint }
}

function describeMetrics({ metrics, metricsPort, metricsToken }: Settings): StartUpRow {
  const name = 'metrics'
  if (!metrics) return { name, hint: 'METRICS=true turns them on' }
  if (metricsPort !== undefined) return { name, on: `GET /metrics on port ${metricsPort}` }
  return metricsToken === undefined
    ? { name, on: 'GET /metrics, from this machine', hint: 'METRICS_TOKEN opens it' }
    : { name, on: 'GET /metrics, with METRICS_TOKEN' }
}

const describeTaskTools = ({ taskFallbackTools }: Settings): StartUpRow =>
  taskFallbackTools
    ? { name: 'task tools', on: 'get_task_result, cancel_task' }
    : { name: 'task tools', hint: 'TASK_FALLBACK_TOOLS=true has them, for clients that know no tasks' }

function describeAudit({ auditFile }: Settings, isAudited: boolean): StartUpRow {
  if (auditFile !== undefined) return { name: 'audit', on: auditFile }
  return isAudited
    ? { name: 'audit', on: 'with the log', hint: 'AUDIT_FILE gives it a place of its own' }
    : { name: 'audit', hint: 'AUDIT_FILE turns it on' }
}

const MAX_SHOWN_NAMES = 20
function shortenNames(names: readonly string[], separator = ' '): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(separator)
  return names.length > MAX_SHOWN_NAMES ? `${shown} and ${names.length - MAX_SHOWN_NAMES} more` : shown
}
