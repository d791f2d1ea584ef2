// Builds a server from plugins and routes: as a plugin for an existing app, or as a whole app.

import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { DestinationStream } from 'pino'
import audit from '../plugins/audit.ts'
import errors, { createUnknownPathHook, createUnroutedAnswer, refuseUrl } from '../plugins/errors.ts'
import { measureLoad } from '../plugins/load.ts'
import { type HealthPart, healthRoutes } from '../routes/health.ts'
import { mountMetrics, mountRoutes } from '../routes/index.ts'
import { composeState, followStateSecrets } from './compose.ts'
import { assertBind, isOtherPort, sendsTokensInClear } from './config/access.ts'
import {
  assertStream,
  type ToolrackOptions as CoreOptions,
  type ResolvedOptions,
  resolveOptions,
} from './config/options.ts'
import { getResourceUri } from './config/public-url.ts'
import { assertToolsDir, type Settings } from './config/settings.ts'
import { assertDoors, type Door } from './doors/door.ts'
import { catchUnhandledErrors } from './execution/unhandled-errors.ts'
import { addGauges } from './observability/gauges.ts'
import { createLogger, stderr, stdout } from './observability/logger.ts'
import type { Caller, Log } from './request/exchange.ts'
import { createRequestIds } from './request/request-ids.ts'
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

/** Bounds of time and size for every connection; docs/limits.md has the reasons. */
export function createHttpOptions({ trustProxy }: Settings) {
  return {
    trustProxy: trustProxy === false ? false : [...trustProxy],
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

export interface ToolrackOptions extends CoreOptions {
  /** Further ways in, beside those that settings open. */
  doors?: readonly Door[] | undefined
}

export interface ServerOptions extends ToolrackOptions {
  /** Where the log goes; default: JSON lines on stdout, or on stderr beside the door `stdio()`. `LOG_LEVEL` sets the level. */
  logStream?: DestinationStream | undefined
}

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

/** @throws ConfigError, or what `register` throws; closes what it opened */
async function openRuntime(resolved: ResolvedOptions, log: Log): Promise<Runtime> {
  const { sessionTtlMs, maxConcurrentCalls, stateSecret } = resolved.settings
  const state = await composeState(resolved)
  await startState(state, { log, sessionTtlMs, maxConcurrentCalls, hasStateSecret: stateSecret !== undefined })
  let runtime: Runtime | undefined
  try {
    runtime = createRuntime(resolved, state, log)
    followStateSecrets(runtime.liveSettings, state)
    runtime.code.add(resolved.definitions)
    return runtime
  } catch (error) {
    await (runtime === undefined ? closeState(state, log) : closeRuntime(runtime))
    throw error
  }
}

async function closeRuntime(runtime: Runtime): Promise<void> {
  const { liveSettings, liveIssuers, sources, sessions, state, isolation, audit, metrics, executor, log } = runtime
  liveSettings.close()
  liveIssuers?.close()
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
  doors?: readonly Door[],
): Promise<Runtime> {
  const { settings, isPlugin } = resolved
  const { log } = app
  const runtime = await openRuntime(resolved, log)
  const { state, catalog, changes, tasks, inflight, streams, sources, liveSettings, liveIssuers } = runtime
  const release = catchUnhandledErrors()
  app.addHook('onClose', async () => {
    await closeRuntime(runtime)
    release()
  })
  await sources.start()
  for (const glob of catalog.unmatchedGlobs)
    log.warn({ glob }, 'no tool matches this glob of TOOLS_INCLUDE or TOOLS_EXCLUDE')
  if (sendsTokensInClear(settings))
    log.warn({ publicUrl: settings.publicUrl }, 'tokens cross the network in the clear: PUBLIC_URL is not https')
  liveSettings.start()
  liveIssuers?.start()
  shareChanges(changes, state.versions)
  runtime.runTasks()
  addGauges(runtime)
  app.decorate('toolrack', new Toolrack(runtime, { isPlugin }))
  app.addHook('preClose', async () => {
    changes.end()
    await tasks.stop()
    await inflight.drain(settings.drainMs)
    streams.end()
  })
  await app.register(async scope => mountRoutes(scope, runtime, { ...resolved, doors }))
  return runtime
}

/** Serves tools in an existing app. @throws ConfigError; for a bad definition as `add` */
export const toolrack = fp(
  async (app: FastifyInstance, { doors, ...options }: ToolrackOptions) => {
    assertDoors(doors)
    const resolved = resolveOptions(options, { prefix: app.prefix })
    assertToolsDir(resolved.toolsDir)
    await mountToolrack(app, resolved, doors)
  },
  { name: 'toolrack', fastify: '5.x' },
)

/** Creates the app that `npm start` runs. @throws ConfigError; for a bad definition as `add` */
export async function createServer(options: ServerOptions = {}): Promise<FastifyInstance> {
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
  doors?: readonly Door[],
): Promise<FastifyInstance> {
  const resolved = withAuditSink(resolvedOptions, logStream)
  const app: FastifyInstance = Fastify({ ...createHttpOptions(resolved.settings), frameworkErrors: refuseUrl })
  Object.assign(app, { log: createLogger({ level: resolved.settings.logLevel, stream: logStream }) })
  takeAllMethods(app)
  try {
    await addServerRoutes(app, resolved, doors)
  } catch (error) {
    // Its load measurement would keep the process alive.
    await app.close()
    throw error
  }
  return guardBind(app, resolved.settings)
}

/** CONNECT asks for a proxy, M-SEARCH comes over UDP. */
const FOREIGN_METHODS = ['CONNECT', 'M-SEARCH']

/** Routes can then refuse PROPFIND, QUERY and the like with what they allow. */
function takeAllMethods(app: FastifyInstance): void {
  const others = METHODS.filter(method => ![...FOREIGN_METHODS, ...app.supportedMethods].includes(method))
  for (const method of others) app.addHttpMethod(method)
}

async function addServerRoutes(
  app: FastifyInstance,
  resolved: ResolvedOptions,
  doors: readonly Door[] | undefined,
): Promise<void> {
  const { log } = app
  await measureLoad(app)
  const runtime = await mountToolrack(app, resolved, doors)
  const { inflight, state, events, bodies } = runtime
  refuseBelowRoutes(app.server, (error, url) => createUnroutedAnswer(error, url, randomUUID()))
  const end = trackConnections(app.server)
  // Runs after the hook that drains.
  app.addHook('preClose', async () => end())
  await app.register(audit, { isTimed: false })
  await app.register(errors, { events, bodies })
  const { mcpPath } = resolved.settings
  const refuseUnknown = createUnknownPathHook(resolved.settings, state.requestLimits)
  app.addHook('onRequest', (request, reply, done) => {
    // The endpoint logs its request ids itself.
    if (request.raw.url !== mcpPath) request.log = log.child({ requestId: request.id })
    if (lacksHost(request)) done(createHostRequiredError())
    else if (request.is404) refuseUnknown(request, reply, done)
    else done()
  })
  await app.register(healthRoutes, { inflight, parts: listHealthParts(runtime) })
  await mountMetrics(app, runtime)
}

const listHealthParts = ({ state, audit, sources, liveSettings, issuers, apiKeys }: Runtime): readonly HealthPart[] => [
  {
    get problems() {
      return findStateProblems(state)
    },
  },
  audit,
  ...[sources, liveSettings, issuers, apiKeys].filter(part => part !== undefined),
]

const AUDIT_LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info']

// In the log's stream, audit records have level info and obey LOG_LEVEL; elsewhere all are written.
function withAuditSink(resolved: ResolvedOptions, stream: DestinationStream): ResolvedOptions {
  const { settings, auditSink } = resolved
  const isElsewhere = auditSink.stream !== undefined || settings.auditFile !== undefined
  return isElsewhere || !AUDIT_LOG_LEVELS.includes(settings.logLevel)
    ? resolved
    : { ...resolved, auditSink: { stream, isLog: true } }
}

// `listen` may get another host or port than the settings.
function guardBind(app: FastifyInstance, settings: Settings): FastifyInstance {
  const listen = app.listen.bind(app) as (...args: unknown[]) => unknown
  app.listen = ((...args: unknown[]) => {
    const options = args[0] as { host?: string; port?: number; path?: string } | undefined
    if (options?.path === undefined) assertBind(options?.host ?? 'localhost', settings)
    const resource = getResourceUri(settings)
    if (isOtherPort(options?.port, settings))
      app.log.warn({ port: options?.port, resource }, 'tokens have to name another port than this: set publicUrl')
    return listen(...args)
  }) as typeof app.listen
  return app
}
