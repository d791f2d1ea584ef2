// What a server says of itself when it has started: where it is, who may call, what it serves, what is off and how to turn
// it on. A table for people, one line of JSON for collectors.
import { authorizationServersOf, hasAccessControl } from './access-rules.ts'
import type { Settings } from './config.ts'
import { wantsTelemetry } from './environment.ts'
import { VERSIONS } from './protocol/revisions/index.ts'
import { publicUrlOf } from './public-url.ts'
import type { Catalog, Withheld } from './registry/catalog.ts'

export type StartUp = Readonly<Record<string, string>>

/** What it has beside its settings. */
interface Rig {
  /** In an app of somebody else, which has routes of its own. */
  readonly isPlugin: boolean
  readonly isTraced: boolean
  readonly isAudited: boolean
}

export function startUpOf(
  settings: Settings,
  { tools, resources, templates, prompts, withheld }: Catalog,
  { isPlugin, isTraced, isAudited }: Rig,
): StartUp {
  const names = tools.all().map(({ name }) => name)
  return {
    endpoint: publicUrlOf(settings).href,
    revisions: VERSIONS.join(' '),
    access: accessOf(settings),
    tools: names.length === 0 ? 'none' : `${names.length}: ${shortened(names)}`,
    ...withheldOf(withheld),
    'resources, prompts': `${resources.size + templates.size}, ${prompts.size}`,
    state: settings.redisUrl === undefined ? 'in memory; REDIS_URL shares it between replicas' : 'Redis',
    metrics: isPlugin ? 'app.toolrack.metrics(), for a route of the app' : metricsOf(settings),
    traces: tracesOf(isTraced),
    'task tools': settings.taskFallbackTools
      ? 'get_task_result, cancel_task'
      : 'off; TASK_FALLBACK_TOOLS=true has them, for clients that know no tasks',
    'HTTP+SSE': settings.httpSse ? 'GET /sse' : 'off; HTTP_SSE=true turns it on',
    audit:
      settings.auditFile ??
      (isAudited ? 'with the log; AUDIT_FILE gives it a place of its own' : 'off; AUDIT_FILE turns it on'),
  }
}

/** Rows for what is defined and not served; none where all is. */
function withheldOf(withheld: readonly Withheld[]): StartUp {
  const tools = withheld.filter(({ entry }) => entry.kind === 'tool')
  const lacking = tools
    .filter(({ missing }) => missing.length > 0)
    .map(({ entry, missing }) => `${entry.key}: ${missing.join(' and ')}`)
  const unwanted = tools.filter(({ missing }) => missing.length === 0).map(({ entry }) => entry.key)
  return {
    ...(lacking.length > 0 && { 'tools that need': shortened(lacking, ', ') }),
    ...(unwanted.length > 0 && { 'tools left out': `${shortened(unwanted)}, by TOOLS_INCLUDE or TOOLS_EXCLUDE` }),
  }
}

function accessOf(settings: Settings): string {
  if (!hasAccessControl(settings)) return 'everybody who reaches it; JWT_SECRET or JWT_JWKS_URL asks for tokens'
  const tokens = settings.jwtSecret === undefined ? `tokens of ${settings.jwtIssuer}` : 'tokens by JWT_SECRET'
  return authorizationServersOf(settings).length > 0
    ? tokens
    : `${tokens}; AUTHORIZATION_SERVERS would tell clients where to get them`
}

function tracesOf(isTraced: boolean): string {
  if (isTraced) return 'OpenTelemetry'
  return wantsTelemetry()
    ? 'off; OTEL_* need @opentelemetry/sdk-node beside it'
    : 'off; OTEL_EXPORTER_OTLP_ENDPOINT turns them on'
}

function metricsOf({ metrics, metricsPort, metricsToken }: Settings): string {
  if (!metrics) return 'off; METRICS=true turns them on'
  if (metricsPort !== undefined) return `GET /metrics on port ${metricsPort}`
  return metricsToken === undefined
    ? 'GET /metrics, from this machine; METRICS_TOKEN opens it'
    : 'GET /metrics, with METRICS_TOKEN'
}

const SHOWN = 20
function shortened(names: readonly string[], separator = ' '): string {
  const shown = names.slice(0, SHOWN).join(separator)
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown
}

/** For a terminal. */
export function tableOf(startUp: StartUp): string {
  const width = Math.max(...Object.keys(startUp).map(name => name.length))
  return Object.entries(startUp)
    .map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`)
    .join('')
}
