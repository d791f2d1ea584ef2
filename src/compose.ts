// Turns settings into the parts that hang on seams. It is the only file of the core that names
// packages.
// It imports each only when it is on, so that parts that are off cost nothing.
import { createRequire } from 'node:module'
import { acceptsTokens } from './config/access.ts'
import { wantsTelemetry } from './config/environment.ts'
import type { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import { assertInstalled } from './config/packages.ts'
import { assertEndpointPath, optionName, type Settings } from './config/settings.ts'
import type { AccessKind, AccessPlan } from './credentials.ts'
import type { SourcePlan } from './definition-sources.ts'
import type { BuiltInDoor } from './doors/built-in.ts'
import type { Door } from './doors/door.ts'
import { type DoorPlan, Doors } from './doors/doors.ts'
import type { OpenIsolation } from './execution/isolation.ts'
import type { Mask } from './execution/mask.ts'
import { type Audit, noAudit } from './observability/audit.ts'
import { type Metrics, noMetrics } from './observability/metrics.ts'
import type { Recorders } from './observability/recorders.ts'
import type { Tracing } from './observability/tracing.ts'
import type { DefinitionParts } from './registry/catalog.ts'
import type { TokenDouble } from './registry/handler-context.ts'
import type { Log } from './request/exchange.ts'
import { getBackends, type State } from './state/state.ts'

interface StateKind {
  /** The setting with the location. */
  readonly setting: string
  /** npm packages that the user has to install. */
  readonly packages: readonly string[]
  /** @param location begins with the scheme */
  open(location: string, settings: Settings): Promise<State>
}

const REDIS: StateKind = {
  setting: 'REDIS_URL',
  packages: ['ioredis', 'bullmq'],
  async open(url, { redisPrefix: prefix }) {
    const { redis } = await import('../packages/redis/src/state.ts')
    return redis({ url, prefix })
  },
}

const SQLITE: StateKind = {
  setting: 'STATE',
  packages: [],
  async open(location) {
    const { sqlite } = await import('../packages/sqlite/src/state.ts')
    return sqlite({ path: location.slice('sqlite:'.length) })
  },
}

/** The kinds of state, by the scheme of their location. */
const STATES: Readonly<Record<string, StateKind>> = { 'redis:': REDIS, 'rediss:': REDIS, 'sqlite:': SQLITE }

/** The doors that ship, in the order of the start-up report. Their routes are imported when they are open. */
const DOORS: readonly (() => Promise<BuiltInDoor>)[] = [
  () => import('../packages/console/src/door.ts').then(({ CONSOLE }) => CONSOLE),
  () => import('../packages/plain-http/src/door.ts').then(({ PLAIN_HTTP }) => PLAIN_HTTP),
  () => import('../packages/http-sse/src/door.ts').then(({ HTTP_SSE }) => HTTP_SSE),
]

/**
 * The doors of a server: those that its settings open, and those of its program.
 *
 * @param displayName what the user calls a setting
 * @throws ConfigError if one has the path of the endpoint, or two have the same name
 */
export async function composeDoors(
  plan: DoorPlan,
  given: readonly Door[] = [],
  displayName: (name: string) => string = optionName,
): Promise<Doors> {
  const { settings, isPlugin } = plan
  // Loaded for any door of the program: only an open door shows whether it converses.
  const { converse } = given.length === 0 ? {} : await import('../packages/stdio/src/conversation.ts')
  const builtIn = await Promise.all(DOORS.map(open => open()))
  const doors = new Doors(builtIn, given, { settings, isPlugin, converse })
  assertEndpointPath(settings, displayName, plan, doors.paths)
  return doors
}

/** @returns undefined for a state in memory */
const findLocation = ({ redisUrl, state }: Settings): string | undefined =>
  state === 'memory' ? undefined : (state ?? redisUrl)

const findKind = (location: string): StateKind => STATES[new URL(location).protocol]!

/**
 * Checks that the packages of active settings are installed.
 *
 * @param displayName what the user calls a setting
 * @throws ConfigError
 */
export function assertComposable(settings: Settings, displayName: (name: string) => string = optionName): void {
  const location = findLocation(settings)
  if (location === undefined) return
  const { packages, setting } = findKind(location)
  assertInstalled(packages, displayName(setting))
}

interface WayKind {
  isOn(settings: Settings): boolean
  load(settings: Settings): Promise<AccessKind>
}

/** Ways of access, in the order in which a credential is offered to them. */
const WAYS: readonly WayKind[] = [
  {
    isOn: ({ apiKeysFile }) => apiKeysFile !== undefined,
    load: () => import('../packages/keys/src/open.ts').then(({ API_KEYS }) => API_KEYS),
  },
  // Last: a credential that no other way owns is a token.
  {
    isOn: acceptsTokens,
    load: settings => import('../packages/tokens/src/open.ts').then(({ loadTokens }) => loadTokens(settings)),
  },
]

/** Loads everything that identifies callers. */
export async function composeAccess({
  settings,
  doubles,
}: Pick<ResolvedOptions, 'settings' | 'doubles'>): Promise<AccessPlan> {
  const [ways, openCallerTokens] = await Promise.all([
    Promise.all(WAYS.filter(way => way.isOn(settings)).map(way => way.load(settings))),
    loadCallerTokens(settings, doubles?.tokenFor),
  ])
  return { ways, openCallerTokens }
}

async function loadCallerTokens(
  { tokenExchangeClientId }: Settings,
  double: TokenDouble | undefined,
): Promise<AccessPlan['openCallerTokens']> {
  if (double !== undefined) {
    const { createTokenDouble } = await import('../packages/token-exchange/src/token-double.ts')
    return ({ liveSecrets }) => createTokenDouble(double, liveSecrets)
  }
  if (tokenExchangeClientId === undefined) return undefined
  const { openTokenExchange } = await import('../packages/token-exchange/src/open.ts')
  return openTokenExchange
}

/**
 * Checks the files that decide who may call. Runs before the start, so that messages name settings
 * as the user does.
 *
 * @throws ConfigError
 */
export async function assertAccess(settings: Settings, displayName: (name: string) => string): Promise<void> {
  const { ways } = await composeAccess({ settings })
  for (const way of ways) way.check(settings, displayName)
}

/** Where clients of a server with these settings get their tokens. @throws ConfigError */
export async function readAuthorizationServers(settings: Settings): Promise<readonly string[]> {
  const { readAuthorizationServers: read } = await import('../packages/tokens/src/open.ts')
  return read(settings)
}

/** Creates the state without starting it. @throws ConfigError if its packages are missing */
export async function composeState({ settings, state, doubles }: ResolvedOptions): Promise<State> {
  if (state !== undefined) return state
  assertComposable(settings)
  const location = findLocation(settings)
  if (location !== undefined) return findKind(location).open(location, settings)
  const { memory } = await import('../packages/memory/src/state.ts')
  return memory({ now: doubles?.timers?.now })
}

/** The sources of a server: the tools folders, those of its program, the samples. */
export async function composeSources({ toolsDir, samplesDir, sources }: ResolvedOptions): Promise<SourcePlan> {
  // The program may have folders among its sources.
  const { LiveVariables } = await import('../packages/folder/src/live-variables.ts')
  const openVariables: SourcePlan['openVariables'] = parts => new LiveVariables(parts)
  if (toolsDir === undefined && samplesDir === undefined) return { create: () => sources, openVariables }
  const { FolderSource } = await import('../packages/folder/src/folder-source.ts')
  const mayBeEmpty = samplesDir !== undefined
  return {
    create: host => [
      ...(toolsDir === undefined ? [] : [new FolderSource(toolsDir, { ...host, mayBeEmpty })]),
      ...sources,
      ...(mayBeEmpty ? [new FolderSource([samplesDir], { ...host, isFallback: true, isWatched: false })] : []),
    ],
    openVariables,
  }
}

type IsolationPackage = typeof import('../packages/isolation/src/index.ts')

const here = import.meta.url

/** Loads the package synchronously, because a definition is built in the call that hands it over. */
export const openIsolation: OpenIsolation = parts => {
  const name = here.endsWith('.ts') ? 'index.ts' : 'index.js'
  const { Processes } = createRequire(here)(`../packages/isolation/src/${name}`) as IsolationPackage
  return new Processes(parts)
}

interface RecorderParts {
  readonly doors: Doors
  /** Hides secrets in kept texts. */
  readonly mask: Mask
  readonly log: Log
}

/** @throws ConfigError if the file of the audit cannot be opened */
export async function composeRecorders(resolved: ResolvedOptions, parts: RecorderParts): Promise<Recorders> {
  const { settings } = resolved
  const metrics = await composeMetrics(settings, parts)
  const [audit, tracing] = [await composeAudit(resolved, { ...parts, metrics }), await composeTracing()]
  return { audit, metrics, tracing }
}

async function composeMetrics({ metrics, tenantClaim }: Settings, { mask }: RecorderParts): Promise<Metrics> {
  if (!metrics) return noMetrics
  const { createMetrics } = await import('../packages/metrics/src/metrics.ts')
  return createMetrics({ mask, tenantClaim })
}

async function composeAudit(
  { settings, auditSink: sink }: ResolvedOptions,
  { doors, mask, log, metrics }: RecorderParts & { readonly metrics: Metrics },
): Promise<Audit> {
  if (sink.stream === undefined && settings.auditFile === undefined) return noAudit
  const { AuditLog } = await import('../packages/audit/src/audit.ts')
  return new AuditLog(settings, {
    sink,
    mask,
    log,
    findSender: headers => doors.findSender(headers),
    countLost: lines => metrics.auditLinesLost(lines),
  })
}

/** The symbol under which each copy of `@opentelemetry/api` finds the SDK that was started. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1')

async function composeTracing(): Promise<Tracing | undefined> {
  if (!(OPEN_TELEMETRY in globalThis)) return undefined
  const { createTracing } = await import('../packages/tracing/src/tracing.ts')
  return createTracing()
}

/**
 * The SDK of OpenTelemetry, if the environment asks for it.
 *
 * @param serviceName default for the name of the service
 */
export async function openTelemetry(serviceName: string) {
  if (!wantsTelemetry()) return undefined
  const { startTelemetry } = await import('../packages/tracing/src/sdk.ts')
  return startTelemetry(serviceName)
}

/** The parts that build the start-up report. */
export async function openReport() {
  return (await import('../packages/start-up/src/report.ts')).reportStart
}

/** The route of the metrics; undefined if they are off. */
export async function openMetrics({ metrics }: Settings) {
  return metrics ? (await import('../packages/metrics/src/routes.ts')).mountMetrics : undefined
}

/** Imported before any definition: each is built in the call that hands it over. */
export async function composeDefinitionParts(): Promise<DefinitionParts> {
  const [{ readLibrarySchema }, { HINTS: hints }] = await Promise.all([
    import('../packages/schema-libraries/src/read.ts'),
    import('../packages/hints/src/hints.ts'),
  ])
  return { readLibrarySchema, hints }
}

/** The tools by which clients without tasks find and end one. */
export async function composeTaskTools({ taskFallbackTools }: Settings) {
  return taskFallbackTools ? (await import('../packages/task-tools/src/tools.ts')).taskTools : undefined
}

/** The door of a program that starts the server. @param onEnd called once the program has left */
export async function openStdio(onEnd: (reason: string) => void): Promise<Door> {
  const { stdio } = await import('../packages/stdio/src/stdio.ts')
  return stdio({ onEnd })
}

/** @param args without the name of the program */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const { runCommandLine: run } = await import('../packages/cli/src/run.ts')
  return run(args)
}

/** Lets connections of the state use new secrets while the server runs. */
export function followStateSecrets(liveSettings: LiveSettings, state: State): void {
  liveSettings.follow('REDIS_URL', url => {
    for (const backend of getBackends(state)) backend.setCredentials?.(url)
  })
}
