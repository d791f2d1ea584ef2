// What a server is made of: plugins, then routes. As a plugin for an app that is there, or as a whole app.
import type { Server } from 'node:http'
import Fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { DestinationStream } from 'pino'
import audit from '../plugins/audit.ts'
import errors from '../plugins/errors.ts'
import { measureLoad } from '../plugins/load.ts'
import { healthRoutes } from '../routes/health.ts'
import { assemble, type Identity, type Parts, register } from './assemble.ts'
import type { AuditTrail } from './audit/audit.ts'
import { addressKey, requestCounter, requestRule } from './client-limits.ts'
import { assertBind, assertToolsDir, ConfigError, readOptions, type Settings, watchesTools } from './config.ts'
import { guardProcess } from './execution/late-faults.ts'
import { Face } from './face.ts'
import { createLogger, stdout } from './logger.ts'
import { mountRoutes } from './mount-routes.ts'
import { packageVersion } from './package.ts'
import { McpError } from './protocol/errors.ts'
import type { Definition } from './registry/catalog.ts'
import { Icons } from './registry/definition.ts'
import { requestIds } from './request-ids.ts'
import type { Limits } from './state/limits.ts'
import { endConnections } from './transport/end-connections.ts'
import { compile } from './validator.ts'

/** A value, or the text that the environment would hold; checked when the server is made. */
type Option<T> = T | ([T] extends [string] ? never : string)
export type SettingOptions = { [K in keyof Settings]?: Option<Settings[K]> }

export interface ToolrackOptions extends SettingOptions {
  tools?: readonly Definition[]
  resources?: readonly Definition[]
  prompts?: readonly Definition[]
  /** What the server says of itself; default: this package. */
  name?: string
  version?: string
  title?: string
  icons?: readonly object[]
  /** How models best use this server. */
  instructions?: string
  /** Where the audit goes, in place of `auditFile`; of a plugin the default is nowhere, of a server where its log goes. */
  auditStream?: DestinationStream
}

export interface ServerOptions extends ToolrackOptions {
  /** Where the log goes; default: JSON lines on stdout. `LOG_LEVEL` says how much. */
  logStream?: DestinationStream
}

declare module 'fastify' {
  interface FastifyInstance {
    toolrack: Face
  }
}

interface Plan {
  readonly settings: Settings
  readonly identity: Identity
  readonly definitions: readonly Definition[]
  readonly toolsDir: string | undefined
  readonly trail: AuditTrail
}

/** @throws ConfigError naming the option */
function planOf(options: ToolrackOptions): Plan {
  const { tools = [], resources = [], prompts = [], auditStream, ...described } = options
  const { name, version, title, icons, instructions, ...rest } = described
  for (const [option, value] of Object.entries({ tools, resources, prompts })) {
    if (!Array.isArray(value)) throw new ConfigError(`${option}: expected an array of definitions`)
  }
  for (const [option, value] of Object.entries({ name, version, title, instructions })) {
    if (value !== undefined && typeof value !== 'string') throw new ConfigError(`${option}: expected a text`)
  }
  assertIcons(icons)
  const settings = readOptions(rest)
  if (rest.toolsDir !== undefined) assertToolsDir(settings)
  const identity = { name: name ?? 'toolrack', version: version ?? packageVersion(), title, icons, instructions }
  const toolsDir = rest.toolsDir === undefined ? undefined : settings.toolsDir
  const definitions = [...tools, ...resources, ...prompts]
  return { settings, identity, definitions, toolsDir, trail: { stream: auditStream } }
}

function assertIcons(icons: unknown): void {
  const validator = icons === undefined ? undefined : compile(Icons)
  if (validator === undefined || validator.isValid(icons)) return
  const [fault] = validator.faults(icons, 1)
  throw new ConfigError(`icons: expected icons, each with a URI; ${fault?.path} ${fault?.expected}`)
}

async function mount(app: FastifyInstance, plan: Plan): Promise<Parts> {
  const { settings, identity, definitions, toolsDir, trail } = plan
  const { log } = app
  const parts = assemble(settings, identity, toolsDir, log, trail)
  const { services, sessions, inflight, streams, folder, isolation } = parts
  register(services.catalog, definitions, error => log.error({ reason: error.message }, 'tool not served'))
  const release = guardProcess()
  app.addHook('onClose', async () => {
    await folder?.close()
    await sessions.shutDown()
    await isolation.close()
    release()
    await services.audit.close()
  })
  // Watched first: what changes while it is read is read again.
  if (folder !== undefined && watchesTools(settings)) await folder.watch()
  await folder?.load()
  app.decorate('toolrack', new Face(parts))
  app.addHook('preClose', async () => {
    services.changes.end()
    await inflight.drain(settings.drainMs)
    streams.end()
  })
  await app.register(async scope => mountRoutes(scope, parts, { identity, log }))
  return parts
}

/** Serves tools in a Fastify app that is there. @throws ConfigError naming a bad option */
export const toolrack = fp(
  async (app: FastifyInstance, options: ToolrackOptions) => {
    await mount(app, planOf(options))
  },
  { name: 'toolrack', fastify: '5.x' },
)

/** The whole app that `npm start` runs. @throws ConfigError naming a bad option */
export async function createServer(options: ServerOptions = {}): Promise<FastifyInstance> {
  const { logStream = stdout(), ...rest } = options
  const plan = withTrail(planOf(rest), logStream)
  const app: FastifyInstance = Fastify(httpOptions(plan.settings))
  const log = createLogger({ level: plan.settings.logLevel, stream: logStream })
  Object.assign(app, { log })
  await measureLoad(app)
  const { inflight, requestLimits, services } = await mount(app, plan)
  const end = endConnections(app.server)
  // After the hook that drains.
  app.addHook('preClose', async () => end())
  await app.register(audit, { isTimed: false })
  await app.register(errors, services)
  const { mcpPath } = plan.settings
  const refuseUnknown = unknownPaths(plan.settings, requestLimits)
  app.addHook('onRequest', (request, _reply, done) => {
    // The endpoint writes its lines itself.
    if (request.raw.url === mcpPath) return done()
    request.log = log.child({ requestId: request.id })
    if (request.is404) refuseUnknown(request, done)
    else done()
  })
  await app.register(healthRoutes, { inflight })
  return guardBind(app, plan.settings)
}

const SHOWS_AUDIT: readonly string[] = ['trace', 'debug', 'info']

// Where it shares the log's place its lines are of level info, like those of the log; its own place gets all.
function withTrail(plan: Plan, stream: DestinationStream): Plan {
  const { settings, trail } = plan
  const isElsewhere = trail.stream !== undefined || settings.auditFile !== undefined
  return isElsewhere || !SHOWS_AUDIT.includes(settings.logLevel) ? plan : { ...plan, trail: { stream, isLog: true } }
}

// Before its body is read, in which nothing can be wrong then. Counted by address: no token is looked at.
function unknownPaths(settings: Settings, limits: Limits) {
  const count = requestCounter(limits, requestRule(settings))
  return (request: FastifyRequest, done: (error: Error) => void) => {
    const refuse = (tooMany: McpError | undefined) =>
      done(tooMany ?? new McpError('NOT_FOUND', `the endpoint is ${settings.mcpPath}`))
    const refusal = count(addressKey(request.ip))
    if (refusal instanceof Promise) refusal.then(refuse, done)
    else refuse(refusal)
  }
}

// Bounds of time and size on every connection. Spec-silent; docs/limits.md has the reasons.
function httpOptions({ trustProxy }: Settings) {
  return {
    trustProxy: trustProxy === false ? false : [...trustProxy],
    // Fastify's own logging, even where it writes nothing, makes a logger and two listeners for each request.
    logger: false,
    genReqId: requestIds(),
    return503OnClosing: false,
    requestTimeout: 10_000,
    http: {
      headersTimeout: 5000,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
      // A second Host, Content-Type or Authorization would else be dropped in silence; joined, it fits nothing.
      joinDuplicateHeaders: true,
    },
  } satisfies FastifyHttpOptions<Server>
}

// `listen` may name another host than the settings did.
function guardBind(app: FastifyInstance, settings: Settings): FastifyInstance {
  const listen = app.listen.bind(app) as (...args: unknown[]) => unknown
  app.listen = ((...args: unknown[]) => {
    const options = args[0] as { host?: string; path?: string } | undefined
    if (options?.path === undefined) assertBind(options?.host ?? 'localhost', settings)
    return listen(...args)
  }) as typeof app.listen
  return app
}
