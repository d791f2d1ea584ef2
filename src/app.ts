// Builds a server from plugins and routes: as a plugin for an existing app, or as a whole app.
import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyListenOptions,
  type RegisterOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import type { DestinationStream } from 'pino'
import audit from '../plugins/audit.ts'
import errors, { createUnknownPathHook, createUrlRefusal } from '../plugins/errors.ts'
import { measureLoad } from '../plugins/load.ts'
import { type HealthPart, healthRoutes } from '../routes/health.ts'
import { mountRoutes } from '../routes/index.ts'
import {
  composeAccess,
  composeDefinitionParts,
  composeDoors,
  composeRecorders,
  composeSources,
  composeState,
  composeTaskTools,
  followStateSecrets,
  openIsolation,
  openMetrics,
  openReport,
} from './compose.ts'
import { assertBind, isOtherPort, sendsTokensInClear } from './config/access.ts'
import {
  assertStream,
  type ResolvedOptions,
  resolveOptions,
  type ServerOptions as ServerCoreOptions,
  type ToolrackOptions as ToolrackCoreOptions,
} from './config/options.ts'
import { getResourceUri } from './config/public-url.ts'
import { assertPlain } from './config/read-options.ts'
import { assertToolsDir, ConfigError, optionName, type Settings } from './config/settings.ts'
import { assertDoors, type Door } from './doors/door.ts'
import type { Doors } from './doors/doors.ts'
import { createMasks } from './execution/masks.ts'
import { catchUnhandledErrors } from './execution/unhandled-errors.ts'
import { createLogger, stderr, stdout } from './observability/logger.ts'
import type { Caller, Log } from './request/exchange.ts'
import { createRequestIds } from './request/request-ids.ts'
import { MAX_TIMER_MS } from './request/timers.ts'
import { createRuntime, type Runtime, shareChanges } from './runtime.ts'
import { closeState, findStateProblems, startState } from './state/state.ts'
import { Toolrack } from './toolrack.ts'
import {
  clientErrorHandler,
  HEADERS_WITHIN_MS,
  MAX_HEADER_BYTES,
  REQUEST_WITHIN_MS,
  refuseBelowRoutes,
  trackConnections,
} from './transport/connections.ts'
import { createHostRequiredError, lacksHost } from './transport/target-host.ts'

/** How long a plugin may take to load, ms: Fastify's own bound. */
const LOAD_MS = 10_000
/** Share of the app's time for a hook that the drain may take; the rest is for other parts. */
const DRAIN_SHARE = 0.9

/** Bounds of time and size for every connection; docs/reference/limits.md has the reasons. */
export function createHttpOptions({ trustProxy, drainMs }: Settings) {
  return {
    trustProxy: trustProxy === false ? false : [...trustProxy],
    // After this time Fastify gives up waiting for a drain, and would close the stores under running
    // calls.
    pluginTimeout: Math.min(Math.max(LOAD_MS, 2 * drainMs), MAX_TIMER_MS),
    // Fastify's logging creates a logger and two listeners for each request, even if silent.
    logger: false,
    genReqId: createRequestIds(),
    // The bound of headers is enough.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    return503OnClosing: false,
    requestTimeout: REQUEST_WITHIN_MS,
    clientErrorHandler: clientErrorHandler(),
    http: {
      headersTimeout: HEADERS_WITHIN_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      // An onRequest hook checks it, and answers in the endpoint's format.
      requireHostHeader: false,
      // Node drops a second Host, Content-Type or Authorization silently; joined, it is refused.
      joinDuplicateHeaders: true,
    },
  }
}

interface WithDoors {
  /** Doors in addition to those that settings open. */
  doors?: readonly Door[] | undefined
}

/** The plugin's options. `prefix`, `logLevel` and `logSerializers` of Fastify apply to its routes. */
export interface ToolrackOptions extends ToolrackCoreOptions, WithDoors {}

/** The options of `createServer`: those of the plugin, and what an app around it would decide. */
export interface ServerOptions extends ServerCoreOptions, WithDoors {}

declare module 'fastify' {
  interface FastifyInstance {
    toolrack: Toolrack
  }
  // Declared here: module augmentations in plugins do not reach users of the package.
  interface FastifyRequest {
    /** Set by `plugins/auth.ts`, or by an app that verifies callers itself. */
    caller: Caller | undefined
  }
}

/** @throws ConfigError, or the error of `register`; closes everything it has opened */
async function openRuntime(resolved: ResolvedOptions, doors: Doors, log: Log): Promise<Runtime> {
  const { sessionTtlMs, maxConcurrentCalls, stateSecret } = resolved.settings
  const [sourcePlan, accessPlan, definitionParts, taskTools, state] = await Promise.all([
    composeSources(resolved),
    composeAccess(resolved),
    composeDefinitionParts(),
    composeTaskTools(resolved.settings),
    composeState(resolved),
  ])
  await startState(state, { log, sessionTtlMs, maxConcurrentCalls, hasStateSecret: stateSecret !== undefined })
  let runtime: Runtime | undefined
  try {
    const masks = createMasks(resolved.settings)
    const recorders = await composeRecorders(resolved, { doors, mask: masks.secretMask, log })
    const plans = { sourcePlan, accessPlan, definitionParts, taskTools, openIsolation }
    const parts = { state, doors, masks, recorders, ...plans, log }
    runtime = createRuntime(resolved, parts)
    followStateSecrets(runtime.liveSettings, state)
    runtime.code.add(resolved.definitions)
    return runtime
  } catch (error) {
    await (runtime === undefined ? closeState(state, log) : closeRuntime(runtime))
    throw error
  }
}

async function closeRuntime(runtime: Runtime): Promise<void> {
  const { liveSettings, sources, sessions, state, isolation, audit, metrics, executor, log } = runtime
  liveSettings.close()
  await sources.close()
  sessions.shutDown()
  await closeState(state, log)
  await isolation.close()
  executor.callerTokens.close()
  await audit.close()
  metrics.close()
}

async function mountToolrack(
  app: FastifyInstance,
  resolved: ResolvedOptions,
  doors: Doors,
  routes: RegisterOptions = {},
): Promise<Runtime> {
  const { settings } = resolved
  const log = createPluginLog(app, routes)
  const runtime = await openRuntime(resolved, doors, log)
  const { state, catalog, changes, tasks, inflight, streams, sources, liveSettings } = runtime
  const release = catchUnhandledErrors()
  app.addHook('onClose', async () => {
    await closeRuntime(runtime)
    release()
  })
  const reportStart = await openReport()
  await sources.start()
  for (const glob of catalog.unmatchedGlobs)
    log.warn({ glob }, 'no tool matches this glob of TOOLS_INCLUDE or TOOLS_EXCLUDE')
  if (sendsTokensInClear(settings))
    log.warn({ publicUrl: settings.publicUrl }, 'tokens cross the network in the clear: PUBLIC_URL is not https')
  liveSettings.start()
  shareChanges(changes, state.versions)
  runtime.runTasks()
  runtime.metrics.watch(runtime)
  app.decorate('toolrack', new Toolrack(runtime, reportStart))
  app.addHook('preClose', async () => {
    changes.end()
    await tasks.stop()
    const { pluginTimeout = 0 } = app.initialConfig
    await inflight.drain(pluginTimeout > 0 ? Math.min(settings.drainMs, DRAIN_SHARE * pluginTimeout) : settings.drainMs)
    streams.end()
  })
  await app.register(async scope => mountRoutes(scope, runtime, resolved), routes)
  return runtime
}

/** Serves tools in an existing app. @throws ConfigError; for a bad definition as `add` */
export const toolrack = fp(
  async (app: FastifyInstance, given: PluginOptions) => {
    assertPlain('options', given)
    if (Object.hasOwn(app, 'toolrack'))
      throw new ConfigError('toolrack is registered here already; register each server in a scope of its own')
    const { prefix = '', logLevel, logSerializers, doors, ...options } = given
    assertDoors(doors)
    const resolved = resolveOptions(options, { prefix: joinPrefix(app.prefix, prefix) })
    assertToolsDir(resolved.toolsDir)
    // Fastify does not give them to a plugin that shares its decorators, so the routes get them here.
    const routes = {
      prefix: joinPrefix('', prefix),
      ...(logLevel && { logLevel }),
      ...(logSerializers && { logSerializers }),
    }
    await mountToolrack(app, resolved, await composeDoors(resolved, doors), routes)
  },
  { name: 'toolrack', fastify: '5.x' },
)

type PluginOptions = ToolrackOptions & RegisterOptions

/** The log for the plugin's work outside of its routes. */
function createPluginLog({ log }: FastifyInstance, { logLevel, logSerializers }: RegisterOptions): FastifyBaseLogger {
  if (logLevel === undefined && logSerializers === undefined) return log
  return log.child({}, { ...(logLevel && { level: logLevel }), ...(logSerializers && { serializers: logSerializers }) })
}

/** @throws ConfigError unless the prefix is a path */
function joinPrefix(outer: string, prefix: unknown): string {
  if (typeof prefix !== 'string') throw new ConfigError('prefix: expected a path such as /shop')
  const path = prefix.replace(/^\/|\/$/g, '')
  return path === '' ? outer : `${outer.replace(/\/$/, '')}/${path}`
}

/** Creates the app that `npm start` runs. @throws ConfigError; for a bad definition as `add` */
export async function createServer(options: ServerOptions = {}): Promise<FastifyInstance> {
  assertPlain('options', options)
  const { doors, ...others } = options
  assertDoors(doors)
  const { logStream = doors?.some(door => door.takesStdout) ? stderr() : stdout(), ...rest } = others
  assertStream('logStream', logStream)
  const resolved = resolveOptions(rest)
  assertToolsDir(resolved.toolsDir)
  return buildServer(resolved, logStream, doors)
}

/** Like `createServer`, but the tools folder may be missing and be created later. */
export async function buildServer(
  resolvedOptions: ResolvedOptions,
  logStream: DestinationStream,
  given?: readonly Door[],
): Promise<FastifyInstance> {
  const resolved = withAuditSink(resolvedOptions, logStream)
  const doors = await composeDoors(resolved, given)
  const app: FastifyInstance = Fastify({
    ...createHttpOptions(resolved.settings),
    frameworkErrors: createUrlRefusal(doors, () => Toolrack.runtime(app.toolrack).events),
  })
  Object.assign(app, { log: createLogger({ level: resolved.settings.logLevel, stream: logStream }) })
  takeAllMethods(app)
  try {
    await addServerRoutes(app, resolved, doors)
  } catch (error) {
    // Its load measurement would keep the process alive.
    await app.close()
    throw error
  }
  return guardBind(app, resolved.settings, doors)
}

/** CONNECT is for proxies, M-SEARCH comes over UDP. */
const FOREIGN_METHODS = ['CONNECT', 'M-SEARCH']

/** Lets routes refuse PROPFIND, QUERY and the like with a list of allowed methods. */
function takeAllMethods(app: FastifyInstance): void {
  const others = METHODS.filter(method => ![...FOREIGN_METHODS, ...app.supportedMethods].includes(method))
  for (const method of others) app.addHttpMethod(method)
}

async function addServerRoutes(app: FastifyInstance, resolved: ResolvedOptions, doors: Doors): Promise<void> {
  const { log } = app
  await measureLoad(app)
  const runtime = await mountToolrack(app, resolved, doors)
  const { inflight, state, events, bodies } = runtime
  refuseBelowRoutes(app.server, (error, url = '') => doors.toErrorAnswer(error, url, randomUUID()))
  const end = trackConnections(app.server)
  // Runs after the hook that drains.
  app.addHook('preClose', async () => end())
  await app.register(audit, { isTimed: false })
  await app.register(errors, { events, bodies })
  const { mcpPath } = resolved.settings
  const refuseUnknown = createUnknownPathHook(resolved.settings, state.requestLimits, doors)
  app.addHook('onRequest', (request, reply, done) => {
    // The endpoint logs its request ids itself.
    if (request.raw.url !== mcpPath) request.log = log.child({ requestId: request.id })
    if (lacksHost(request)) done(createHostRequiredError())
    else if (request.is404) refuseUnknown(request, reply, done)
    else done()
  })
  await app.register(healthRoutes, { inflight, parts: listHealthParts(runtime) })
  const mountMetrics = await openMetrics(resolved.settings)
  await mountMetrics?.(app, runtime)
}

const listHealthParts = ({ state, audit, sources, liveSettings, ways }: Runtime): readonly HealthPart[] => [
  {
    get problems() {
      return findStateProblems(state)
    },
  },
  audit,
  ...[sources, liveSettings, ...ways],
]

const AUDIT_LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info']

// In the stream of the log, audit records have level info and obey LOG_LEVEL; elsewhere all are
// written.
function withAuditSink(resolved: ResolvedOptions, stream: DestinationStream): ResolvedOptions {
  const { settings, auditSink } = resolved
  const isElsewhere = auditSink.stream !== undefined || settings.auditFile !== undefined
  return isElsewhere || !AUDIT_LOG_LEVELS.includes(settings.logLevel)
    ? resolved
    : { ...resolved, auditSink: { stream, isLog: true } }
}

/** `listen` uses host and port of the settings, unless it gets others. */
function guardBind(app: FastifyInstance, settings: Settings, doors: Doors): FastifyInstance {
  const listen = app.listen.bind(app) as (...args: unknown[]) => unknown
  app.listen = ((...args: unknown[]) => {
    const isGiven = typeof args[0] === 'object' || args[0] === undefined
    const [first, ...others] = isGiven ? args : [undefined, ...args]
    // Fastify does not accept the port as a number.
    if (others.some(other => typeof other !== 'function')) return listen(...args)
    const given = (first ?? {}) as FastifyListenOptions
    if (given.path !== undefined) return listen(given, ...others)
    const { host = settings.host, port = settings.port } = given
    assertBind(host, settings, optionName)
    doors.assertGuarded(host, optionName)
    const resource = getResourceUri(settings)
    if (isOtherPort(port, settings))
      app.log.warn({ port, resource }, 'listening on another port than tokens name; set publicUrl')
    return listen({ ...given, host, port }, ...others)
  }) as typeof app.listen
  return app
}
