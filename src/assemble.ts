// The parts that every server has, made once from its plan: what is served, and what serves it.
import { JwksKeys } from './access/jwks.ts'
import { type Keys, secretKeys } from './access/keys.ts'
import { type Settings, secretsOf } from './config.ts'
import type { Caller, Log } from './exchange.ts'
import { createSecretMask } from './execution/mask.ts'
import { Inflight } from './inflight.ts'
import { Isolation } from './isolation/isolation.ts'
import { LiveSessions } from './legacy/live-sessions.ts'
import { tellSessions } from './legacy/task-news.ts'
import type { Services } from './methods/method.ts'
import { mayRead } from './methods/resources.ts'
import { createMetrics, type Metrics, noMetrics } from './metrics/metrics.ts'
import type { Plan } from './plan.ts'
import { ToolsFolder } from './registry/folder.ts'
import { LOAD_LIMIT_MS } from './registry/load-files.ts'
import { Seal } from './seal.ts'
import { executorOf, loadGuardOf, servicesOf } from './services.ts'
import type { State } from './state/state.ts'
import { fallbackTools } from './tasks/fallback-tools.ts'
import { taskRunner } from './tasks/run-task.ts'
import { Tasks } from './tasks/tasks.ts'
import { BodyBytes, bodyBounds } from './transport/body-bytes.ts'
import { Streams } from './transport/sse.ts'

export interface Parts {
  readonly settings: Settings
  readonly state: State
  /** Undefined where there is no access control. */
  readonly keys: Keys | undefined
  readonly services: Services
  readonly sessions: LiveSessions
  readonly inflight: Inflight
  readonly streams: Streams
  /** That are on their way. */
  readonly bodies: BodyBytes
  readonly folder: ToolsFolder | undefined
  readonly isolation: Isolation
  /** To be called when all tools are there. */
  runTasks(): void
}

/** @throws ConfigError where the audit has no place to go */
export function assemble(plan: Plan, state: State, log: Log): Parts {
  const { settings, toolsDir } = plan
  const metrics = settings.metrics ? createMetrics() : noMetrics
  const executor = executorOf(settings, { seal: sealOf(settings, state), state, metrics, log })
  const { reportLateFault, faults } = executor
  const isolation = new Isolation({ log, reportLateFault, faults, maxResultBytes: settings.maxResultBytes })
  const services = servicesOf(plan, { executor, isolation, tasks: tasksOf(settings, state), metrics, log })
  const { catalog, access, tasks } = services
  if (settings.taskFallbackTools) catalog.offer(fallbackTools(tasks, access))
  if (toolsDir !== undefined) catalog.tools.expect()
  const guard = loadGuardOf(settings, executor)
  const sessions = sessionsOf(settings, state, services)
  tellSessions(services, sessions)
  const inflight = new Inflight()
  return Object.freeze({
    settings,
    state,
    keys: keysOf(settings, metrics, log),
    services,
    sessions,
    inflight,
    streams: new Streams({ unsent: services.unsent }),
    bodies: new BodyBytes(bodyBounds(settings.maxBodyBytes)),
    folder: toolsDir === undefined ? undefined : new ToolsFolder(toolsDir, catalog, log, LOAD_LIMIT_MS, guard),
    runTasks: () => tasks.onTask(runnerOf(services, inflight, log)),
    isolation,
  })
}

function runnerOf(services: Services, inflight: Inflight, log: Log) {
  const { tasks, catalog, executor, access, audit, metrics, tracing } = services
  return taskRunner({ tasks, catalog, executor, inflight, access, audit, metrics, tracing, log })
}

function sessionsOf({ sessionTtlMs: ttlMs }: Settings, state: State, services: Services): LiveSessions {
  const { sessions, events, peers } = state
  const mayKnow = (caller: Caller | undefined, uri: string) => mayRead(services, caller, uri)
  return new LiveSessions({ sessions, events, changes: services.changes, peers, ttlMs, mayRead: mayKnow })
}

function keysOf(settings: Settings, metrics: Metrics, log: Log): Keys | undefined {
  const { jwtSecret, jwtJwksUrl: url } = settings
  if (jwtSecret !== undefined) return secretKeys(jwtSecret)
  if (url === undefined) return undefined
  const mask = createSecretMask(secretsOf(settings))
  return new JwksKeys({ url, log, mask, onFetch: isFetched => metrics.keysFetched(isFetched) })
}

function sealOf({ stateSecret, stateSecretPrevious }: Settings, state: State): Seal {
  const seal = new Seal(stateSecret, stateSecretPrevious)
  if (stateSecret === undefined) state.onSharedSecret((secret, former) => seal.adopt(secret, former))
  return seal
}

function tasksOf({ taskInlineMs, taskTtlMs, taskFallbackTools }: Settings, state: State): Tasks {
  // A task that is kept for less than a call waits would be gone before it is handed out.
  const inlineMs = Math.min(taskInlineMs, taskTtlMs / 2)
  const rules = { ttlMs: taskTtlMs, inlineMs, hasFallback: taskFallbackTools }
  return new Tasks(state.tasks, state.taskQueue, rules)
}
