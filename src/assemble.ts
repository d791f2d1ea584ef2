// The parts that every server has, made once from its settings: what is served, and what serves it.
import { Access } from './access/access.ts'
import { JwksKeys } from './access/jwks.ts'
import { type Keys, secretKeys } from './access/keys.ts'
import { metadataUrlOf } from './access/metadata.ts'
import { type AuditTrail, createAudit } from './audit/audit.ts'
import { publicUrlOf, type Settings, secretsOf } from './config.ts'
import type { Log } from './exchange.ts'
import { errorText } from './execution/error-text.ts'
import type { Executor } from './execution/execute.ts'
import { Admission } from './execution/limit.ts'
import { createMask, createSecretMask } from './execution/mask.ts'
import { Slots } from './execution/slots.ts'
import { Inflight } from './inflight.ts'
import { Isolation } from './isolation/isolation.ts'
import { LiveSessions } from './legacy/live-sessions.ts'
import type { Services } from './methods/method.ts'
import { mayRead } from './methods/resources.ts'
import { META_SERVER } from './protocol/schemas/common.ts'
import { Catalog, type Definition } from './registry/catalog.ts'
import { Changes } from './registry/changes.ts'
import { ToolsFolder } from './registry/folder.ts'
import { Seal } from './seal.ts'
import type { Limits } from './state/limits.ts'
import { memoryEvents } from './state/memory/events.ts'
import { memoryLimits } from './state/memory/limits.ts'
import { memorySessions } from './state/memory/sessions.ts'
import { memorySpent } from './state/memory/spent.ts'
import { Streams } from './transport/sse.ts'

/** What the server says of itself. Spec 2026-07-28: schema, Implementation. */
export interface Identity {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly icons?: readonly object[]
  readonly instructions?: string
}

export interface Parts {
  readonly settings: Settings
  /** Of requests per client; those of tools are the executor's. */
  readonly requestLimits: Limits
  /** Undefined where there is no access control. */
  readonly keys: Keys | undefined
  readonly services: Services
  readonly sessions: LiveSessions
  readonly inflight: Inflight
  readonly streams: Streams
  readonly folder: ToolsFolder | undefined
  readonly isolation: Isolation
}

/** Streams that one process holds. */
const MAX_STREAMS = 12_000

/** @throws ConfigError where the audit has no place to go */
export function assemble(
  settings: Settings,
  identity: Identity,
  toolsDir: string | undefined,
  log: Log,
  trail: AuditTrail = {},
): Parts {
  const changes = new Changes()
  const seal = new Seal(settings.stateSecret)
  const executor = executorOf(settings, seal, log)
  const { reportLateFault } = executor
  const isolation = new Isolation({ log, reportLateFault, maxResultBytes: settings.maxResultBytes })
  const catalog = new Catalog(changes, isolation.isolate)
  const { instructions, ...implementation } = identity
  const serverMeta = Object.freeze({ [META_SERVER]: implementation })
  const services: Services = Object.freeze({
    serverMeta,
    serverMetaJson: JSON.stringify(serverMeta),
    instructions,
    catalog,
    changes,
    executor,
    seal,
    access: new Access({
      hierarchy: settings.scopeHierarchy,
      metadataUrl: metadataUrlOf(publicUrlOf(settings)),
      deniesByResult: settings.scopeDenial === 'result',
    }),
    audit: createAudit(settings, { trail, mask: createSecretMask(secretsOf(settings)), log }),
    rules: { pageSize: settings.pageSize, listTtlMs: settings.listTtlMs, maxStreams: MAX_STREAMS },
  })
  if (toolsDir !== undefined) catalog.tools.expect()
  const folder = toolsDir === undefined ? undefined : new ToolsFolder(toolsDir, catalog, log)
  return Object.freeze({
    settings,
    requestLimits: memoryLimits(),
    keys: keysOf(settings, log),
    services,
    sessions: new LiveSessions({
      sessions: memorySessions({ ttlMs: settings.sessionTtlMs }),
      events: memoryEvents(),
      changes,
      ttlMs: settings.sessionTtlMs,
      mayRead: (caller, uri) => mayRead(services, caller, uri),
    }),
    inflight: new Inflight(),
    streams: new Streams(),
    folder,
    isolation,
  })
}

function keysOf({ jwtSecret, jwtJwksUrl }: Settings, log: Log): Keys | undefined {
  if (jwtSecret !== undefined) return secretKeys(jwtSecret)
  return jwtJwksUrl === undefined ? undefined : new JwksKeys({ url: jwtJwksUrl, log })
}

function executorOf(settings: Settings, seal: Seal, log: Log): Executor {
  const { maxConcurrentCalls, maxQueuedCalls, toolTimeoutMs, maxResultBytes, errorMessages } = settings
  const mask = createMask(secretsOf(settings))
  return Object.freeze({
    admission: new Admission(memoryLimits(), new Slots({ max: maxConcurrentCalls, maxQueued: maxQueuedCalls })),
    mask,
    seal,
    spent: memorySpent(),
    reportLateFault: (tool, fault) => log.error({ tool, reason: errorText(fault, mask) }, 'tool left an error behind'),
    rules: Object.freeze({ toolTimeoutMs, maxResultBytes, errorMessages }),
  } satisfies Executor)
}

/** Serves what can be served; what cannot is told to `refuse`. */
export function register(catalog: Catalog, definitions: readonly Definition[], refuse: (error: Error) => void): void {
  const built = new Map<string, ReturnType<Catalog['build']>>()
  for (const definition of definitions) {
    try {
      const entry = catalog.build(definition)
      const key = `${entry.kind} ${entry.key}`
      if (built.has(key)) throw new Error(`${key}: defined twice; the first is served`)
      built.set(key, entry)
    } catch (error) {
      refuse(error as Error)
    }
  }
  catalog.change([], [...built.values()])
}
