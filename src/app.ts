// What a server is made of: plugins, then routes. As a plugin for an app that is there, or as a whole app.
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { DestinationStream } from 'pino'
import audit from '../plugins/audit.ts'
import errors from '../plugins/errors.ts'
import { measureLoad } from '../plugins/load.ts'
import { refuseUrl, unknownPaths } from '../plugins/unknown-paths.ts'
import { healthRoutes } from '../routes/health.ts'
import { assertBind, isElsewhere } from './access-rules.ts'
import { assemble, type Parts } from './assemble.ts'
import { assertToolsDir, type Settings, watchesTools } from './config.ts'
import type { Caller, Log } from './exchange.ts'
import { guardProcess } from './execution/late-faults.ts'
import { Face } from './face.ts'
import { addGauges } from './gauges.ts'
import { httpOptions } from './http-options.ts'
import { createLogger, stdout } from './logger.ts'
import { mountMetrics } from './mount-metrics.ts'
import { mountRoutes } from './mount-routes.ts'
import { openState } from './open-state.ts'
import { assertStream, type Plan, planOf, type ToolrackOptions } from './plan.ts'
import { resourceOf } from './public-url.ts'
import { register } from './registry/register.ts'
import { shareChanges } from './share-changes.ts'
import { refuseBelowRoutes } from './transport/below-routes.ts'
import { endConnections } from './transport/end-connections.ts'
import { hostNeeded, lacksHost } from './transport/target-host.ts'

export interface ServerOptions extends ToolrackOptions {
  /** Where the log goes; default: JSON lines on stdout. `LOG_LEVEL` says how much. */
  logStream?: DestinationStream
}

declare module 'fastify' {
  interface FastifyInstance {
    toolrack: Face
  }
  // Here, since declarations of plugins do not reach who installs the package.
  interface FastifyRequest {
    /** Who calls; set by `plugins/auth.ts`, or by an app that verifies its callers itself. */
    caller: Caller | undefined
  }
}

/** @throws ConfigError, or what `register` throws; nothing is left open then */
async function openParts(plan: Plan, log: Log): Promise<Parts> {
  const state = await openState(plan.settings, log)
  let parts: Parts | undefined
  try {
    parts = assemble(plan, state, log)
    register(parts.services.catalog, plan.definitions)
    return parts
  } catch (error) {
    await (parts === undefined ? state.close() : closeParts(parts))
    throw error
  }
}

async function closeParts({ folder, sessions, state, isolation, services }: Parts): Promise<void> {
  await folder?.close()
  sessions.shutDown()
  await state.close()
  await isolation.close()
  await services.audit.close()
  services.metrics.close()
}

async function mount(app: FastifyInstance, plan: Plan): Promise<Parts> {
  const { settings, isPlugin } = plan
  const { log } = app
  const parts = await openParts(plan, log)
  const { state, services, inflight, streams, folder } = parts
  const release = guardProcess()
  app.addHook('onClose', async () => {
    await closeParts(parts)
    release()
  })
  // Watched first: what changes while it is read is read again.
  if (folder !== undefined && watchesTools(settings)) await folder.watch()
  await folder?.load()
  for (const glob of services.catalog.idleGlobs)
    log.warn({ glob }, 'no tool matches this glob of TOOLS_INCLUDE or TOOLS_EXCLUDE')
  shareChanges(services.changes, state.versions)
  parts.runTasks()
  addGauges(parts)
  app.decorate('toolrack', new Face(parts, { isPlugin }))
  app.addHook('preClose', async () => {
    services.changes.end()
    await services.tasks.stop()
    await inflight.drain(settings.drainMs)
    streams.end()
  })
  await app.register(async scope => mountRoutes(scope, parts, { plan, log }))
  return parts
}

/** Serves tools in a Fastify app that is there. @throws ConfigError naming a bad option; for a bad definition as `add` */
export const toolrack = fp(
  async (app: FastifyInstance, options: ToolrackOptions) => {
    const plan = planOf(options, app.prefix)
    assertToolsDir(plan.toolsDir)
    await mount(app, plan)
  },
  { name: 'toolrack', fastify: '5.x' },
)

/** The whole app that `npm start` runs. @throws ConfigError naming a bad option; for a bad definition as `add` */
export async function createServer(options: ServerOptions = {}): Promise<FastifyInstance> {
  const { logStream = stdout(), ...rest } = options
  assertStream('logStream', logStream)
  const plan = planOf(rest)
  assertToolsDir(plan.toolsDir)
  return serverOf(plan, logStream)
}

/** The same, whose tools folder may be missing, and come later. */
export async function serverOf(bare: Plan, logStream: DestinationStream): Promise<FastifyInstance> {
  const plan = withTrail(bare, logStream)
  const app: FastifyInstance = Fastify({ ...httpOptions(plan.settings), frameworkErrors: refuseUrl })
  Object.assign(app, { log: createLogger({ level: plan.settings.logLevel, stream: logStream }) })
  try {
    await furnish(app, plan)
  } catch (error) {
    // What it measures would keep the process.
    await app.close()
    throw error
  }
  return guardBind(app, plan.settings)
}

async function furnish(app: FastifyInstance, plan: Plan): Promise<void> {
  const { log } = app
  await measureLoad(app)
  const { inflight, state, services, bodies, folder } = await mount(app, plan)
  refuseBelowRoutes(app.server)
  const end = endConnections(app.server)
  // After the hook that drains.
  app.addHook('preClose', async () => end())
  await app.register(audit, { isTimed: false })
  await app.register(errors, { ...services, bodies })
  const { mcpPath } = plan.settings
  const refuseUnknown = unknownPaths(plan.settings, state.requestLimits)
  app.addHook('onRequest', (request, reply, done) => {
    // The endpoint writes its lines itself.
    if (request.raw.url !== mcpPath) request.log = log.child({ requestId: request.id })
    if (lacksHost(request)) done(hostNeeded())
    else if (request.is404) refuseUnknown(request, reply, done)
    else done()
  })
  await app.register(healthRoutes, { inflight, state, folder })
  await mountMetrics(app, plan.settings, services.metrics)
}

const SHOWS_AUDIT: readonly string[] = ['trace', 'debug', 'info']

// Where it shares the log's place its lines are of level info, like those of the log; its own place gets all.
function withTrail(plan: Plan, stream: DestinationStream): Plan {
  const { settings, trail } = plan
  const isElsewhere = trail.stream !== undefined || settings.auditFile !== undefined
  return isElsewhere || !SHOWS_AUDIT.includes(settings.logLevel) ? plan : { ...plan, trail: { stream, isLog: true } }
}

// `listen` may name another host or port than the settings did.
function guardBind(app: FastifyInstance, settings: Settings): FastifyInstance {
  const listen = app.listen.bind(app) as (...args: unknown[]) => unknown
  app.listen = ((...args: unknown[]) => {
    const options = args[0] as { host?: string; port?: number; path?: string } | undefined
    if (options?.path === undefined) assertBind(options?.host ?? 'localhost', settings)
    const resource = resourceOf(settings)
    if (isElsewhere(options?.port, settings))
      app.log.warn({ port: options?.port, resource }, 'tokens have to name another port than this: set publicUrl')
    return listen(...args)
  }) as typeof app.listen
  return app
}
