// The start-up report: address, access, what is served, what is off and which setting enables it.
// A table on a terminal, else one JSON log line.
import { getAuthorizationServers, hasAccessControl } from '../config/access.ts'
import { wantsTelemetry } from '../config/environment.ts'
import { getPublicUrl } from '../config/public-url.ts'
import type { Settings } from '../config/settings.ts'
import { VERSIONS } from '../protocol/revisions/index.ts'
import type { Catalog, DisabledEntry } from '../registry/catalog.ts'

export type StartUpReport = Readonly<Record<string, string>>

interface Features {
  /** Registered in an existing app, which has routes of its own. */
  readonly isPlugin: boolean
  readonly isTraced: boolean
  readonly isAudited: boolean
}

export function describeStartUp(
  settings: Settings,
  { tools, resources, templates, prompts, disabled }: Catalog,
  { isPlugin, isTraced, isAudited }: Features,
): StartUpReport {
  const names = tools.all().map(({ name }) => name)
  return {
    endpoint: getPublicUrl(settings).href,
    revisions: VERSIONS.join(' '),
    access: describeAccess(settings),
    tools: names.length === 0 ? 'none' : `${names.length}: ${shortenNames(names)}`,
    ...describeDisabledTools(disabled),
    'resources, prompts': `${resources.size + templates.size}, ${prompts.size}`,
    state: settings.redisUrl === undefined ? 'in memory; REDIS_URL shares it between replicas' : 'Redis',
    metrics: isPlugin ? 'app.toolrack.metrics(), for a route of the app' : describeMetrics(settings),
    traces: describeTracing(isTraced),
    'task tools': settings.taskFallbackTools
      ? 'get_task_result, cancel_task'
      : 'off; TASK_FALLBACK_TOOLS=true has them, for clients that know no tasks',
    'HTTP+SSE': settings.httpSse ? 'GET /sse' : 'off; HTTP_SSE=true turns it on',
    audit:
      settings.auditFile ??
      (isAudited ? 'with the log; AUDIT_FILE gives it a place of its own' : 'off; AUDIT_FILE turns it on'),
  }
}

/** Rows for tools that are disabled; none if all are served. */
function describeDisabledTools(withheld: readonly DisabledEntry[]): StartUpReport {
  const tools = withheld.filter(({ entry }) => entry.kind === 'tool')
  const lacking = tools
    .filter(({ missing }) => missing.length > 0)
    .map(({ entry, missing }) => `${entry.key}: ${missing.join(' and ')}`)
  const unwanted = tools.filter(({ missing }) => missing.length === 0).map(({ entry }) => entry.key)
  return {
    ...(lacking.length > 0 && { 'tools that need': shortenNames(lacking, ', ') }),
    ...(unwanted.length > 0 && { 'tools left out': `${shortenNames(unwanted)}, by TOOLS_INCLUDE or TOOLS_EXCLUDE` }),
  }
}

function describeAccess(settings: Settings): string {
  if (!hasAccessControl(settings)) return 'everybody who reaches it; JWT_SECRET or JWT_JWKS_URL asks for tokens'
  const tokens = settings.jwtSecret === undefined ? `tokens of ${settings.jwtIssuer}` : 'tokens by JWT_SECRET'
  return getAuthorizationServers(settings).length > 0
    ? tokens
    : `${tokens}; AUTHORIZATION_SERVERS would tell clients where to get them`
}

function describeTracing(isTraced: boolean): string {
  if (isTraced) return 'OpenTelemetry'
  return wantsTelemetry()
    ? 'off; OTEL_* need @opentelemetry/sdk-node beside it'
    : 'off; OTEL_EXPORTER_OTLP_ENDPOINT turns them on'
}

function describeMetrics({ metrics, metricsPort, metricsToken }: Settings): string {
  if (!metrics) return 'off; METRICS=true turns them on'
  if (metricsPort !== undefined) return `GET /metrics on port ${metricsPort}`
  return metricsToken === undefined
    ? 'GET /metrics, from this machine; METRICS_TOKEN opens it'
    : 'GET /metrics, with METRICS_TOKEN'
}

const MAX_SHOWN_NAMES = 20
function shortenNames(names: readonly string[], separator = ' '): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(separator)
  return names.length > MAX_SHOWN_NAMES ? `${shown} and ${names.length - MAX_SHOWN_NAMES} more` : shown
}

export function formatStartUp(startUp: StartUpReport): string {
  const width = Math.max(...Object.keys(startUp).map(name => name.length))
  return Object.entries(startUp)
    .map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`)
    .join('')
}
