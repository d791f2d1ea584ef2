// What methods work with, and what runs tools, made once from the settings.
import { Access } from './access/access.ts'
import { createAudit } from './audit/audit.ts'
import { type Settings, secretsOf } from './config.ts'
import { hasSetting } from './environment.ts'
import type { Log } from './exchange.ts'
import { errorText } from './execution/error-text.ts'
import type { Executor } from './execution/execute.ts'
import { FaultLog } from './execution/fault-log.ts'
import { lateFaultLog } from './execution/late-fault-log.ts'
import { loadAttributed } from './execution/late-faults.ts'
import { Admission } from './execution/limit.ts'
import { createLoadMask, createMask, createSecretMask } from './execution/mask.ts'
import { Slots } from './execution/slots.ts'
import type { Isolation } from './isolation/isolation.ts'
import { goesToTerminal } from './logger.ts'
import type { Services } from './methods/method.ts'
import { countedLimits } from './metrics/counted-limits.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Plan } from './plan.ts'
import { META_SERVER } from './protocol/schemas/common.ts'
import { RefusalLog } from './refusal-log.ts'
import { Catalog } from './registry/catalog.ts'
import { Changes } from './registry/changes.ts'
import { choiceOf } from './registry/choice.ts'
import type { LoadGuard } from './registry/load-files.ts'
import type { Seal } from './seal.ts'
import type { State } from './state/state.ts'
import type { Tasks } from './tasks/tasks.ts'
import { createTracing } from './tracing/tracing.ts'
import { UnsentBytes, unsentBounds } from './unsent-bytes.ts'

/** Streams that one process holds. */
const MAX_STREAMS = 12_000

interface ServiceParts {
  readonly executor: Executor
  readonly isolation: Isolation
  readonly tasks: Tasks
  readonly metrics: Metrics
  readonly log: Log
}

export function servicesOf(
  { settings, identity, trail, metadataUrl }: Plan,
  { executor, isolation, tasks, metrics, log }: ServiceParts,
): Services {
  const { instructions, ...implementation } = identity
  const serverMeta = Object.freeze({ [META_SERVER]: implementation })
  const changes = new Changes()
  const audit = createAudit(settings, { trail, mask: createSecretMask(secretsOf(settings)), log })
  const deniesByResult = settings.scopeDenial === 'result'
  return Object.freeze({
    serverMeta,
    serverMetaJson: JSON.stringify(serverMeta),
    instructions,
    catalog: catalogOf(settings, changes, isolation),
    changes,
    executor,
    tasks,
    seal: executor.seal,
    access: new Access({ hierarchy: settings.scopeHierarchy, metadataUrl, deniesByResult }),
    metrics,
    tracing: createTracing(),
    audit,
    refusals: new RefusalLog(log, audit.noteLevel),
    unsent: new UnsentBytes(unsentBounds(settings.maxResultBytes)),
    rules: {
      pageSize: settings.pageSize,
      listTtlMs: settings.listTtlMs,
      maxStreams: MAX_STREAMS,
      slowCallMs: settings.slowCallMs,
    },
  })
}

function catalogOf(settings: Settings, changes: Changes, { isolate }: Isolation): Catalog {
  const { toolsInclude, toolsExclude, taskFallbackTools: tellsOfTasks } = settings
  return new Catalog(changes, { isolate, tellsOfTasks, choice: choiceOf(toolsInclude, toolsExclude), hasSetting })
}

/** What the top level of a tool file leaves behind is told as what tools leave behind. */
export function loadGuardOf(settings: Settings, { reportLateFault }: Executor): LoadGuard {
  // Its author has to see which file was missing, or which setting is wrong.
  const mask = createLoadMask(secretsOf(settings))
  return {
    load: (file, work) => loadAttributed(file, reportLateFault, work),
    explain: thrown => errorText(thrown, mask),
  }
}

interface ExecutorParts {
  readonly seal: Seal
  readonly state: State
  readonly metrics: Metrics
  readonly log: Log
}

export function executorOf(settings: Settings, { seal, state, metrics, log }: ExecutorParts): Executor {
  const { maxConcurrentCalls, maxQueuedCalls, toolTimeoutMs, maxResultBytes, errorMessages } = settings
  const secrets = secretsOf(settings)
  const mask = createMask(secrets)
  const faults = new FaultLog({ mask, secretMask: createSecretMask(secrets), isForPeople: goesToTerminal(log) })
  return Object.freeze({
    admission: new Admission(
      countedLimits(state.toolLimits, 'tools', metrics),
      new Slots({ max: maxConcurrentCalls, maxQueued: maxQueuedCalls }),
    ),
    mask,
    seal,
    spent: state.spent,
    reportLateFault: lateFaultLog({
      log,
      mask,
      count: metrics.leftBehind,
      originOf: fault => faults.originOf(log, fault),
    }),
    faults,
    rules: Object.freeze({ toolTimeoutMs, maxResultBytes, errorMessages }),
  } satisfies Executor)
}
