// What a server counts, for Prometheus. Label values are bounded: methods and revisions that exist,
// tools that are served. Names follow the semantic conventions of OpenTelemetry where those have
// one, in Prometheus's spelling. Spec: opentelemetry.io, "Semantic conventions for Model Context
// Protocol".
import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import { isNoError, type RequestOutcome } from '../request/outcome.ts'
import type { LimitDecision, LimitRule, Limits, LocalLimits } from '../state/limits.ts'
import { type CounterLike, createDurations, createTallies, type ServedRequest } from './histogram.ts'
import type { RequestEndedListener } from './request-ended.ts'

/**
 * Made once, for all servers: the Prometheus client starts timers and observers that it cannot
 * stop.
 */
let measured: Registry | undefined

/** Gauges with the name of a counter. Each is the sum of a metric that says the same by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
/** 25 series that say what `nodejs_eventloop_lag_*` and the CPU time say already. */
const UTILIZATION = ['nodejs_eventloop_utilization_summary', 'nodejs_eventloop_utilization_histogram']
/** The longest that a timer takes: else the client would wake the process ten times a second. */
const NEVER_MS = 2 ** 31 - 1

/** Memory, CPU time, garbage collection, event-loop lag. */
export function getProcessMetrics(): Registry {
  if (measured !== undefined) return measured
  measured = new Registry()
  collectDefaultMetrics({ register: measured, eventLoopUtilizationTimeout: NEVER_MS })
  for (const name of [...MISNAMED, ...UTILIZATION]) measured.removeSingleMetric(name)
  return measured
}

/** In place of what clients made up. */
export const UNKNOWN = '_OTHER'

const DECISIONS = ['allowed', 'limited'] as const
const LIMITERS = ['requests', 'tools', 'failures', 'tokens'] as const
export type Decision = (typeof DECISIONS)[number]
export type LimiterName = (typeof LIMITERS)[number]

export interface Metrics {
  served(served: ServedRequest): void
  /** What was refused before it reached a method. */
  refused(outcome: RequestOutcome): void
  /** One whose client was given a task. */
  taskEnded(tool: string, outcome: RequestOutcome): void
  limited(limiter: LimiterName, decision: Decision): void
  replayed(events: number): void
  jwksFetched(isFetched: boolean): void
  /** A fault that a tool left behind when it had answered, or the top level of a tool file. */
  unhandledError(tool: string): void
  /** Read when somebody looks. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void
  /** As Prometheus reads it. */
  text(): Promise<string>
  readonly contentType: string
  close(): void
}

/** A number, or one for each status. */
export type Reading = number | Readonly<Record<string, number>>

/**
 * @returns what is made once for each combination of labels: they are few, and making one costs
 *   more than counting
 */
function memoizeByLabels<C>(make: (labels: readonly string[]) => C): (...labels: string[]) => C {
  const children = new Map<string, C>()
  return (...labels) => {
    const key = labels.join('\n')
    let child = children.get(key)
    if (child === undefined) children.set(key, (child = make(labels)))
    return child
  }
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const ofProcess = getProcessMetrics()
  const counter = (name: string, help: string, labelNames: string[]) => {
    const made = new Counter({ name, help, labelNames, registers: [registry] })
    return memoizeByLabels<CounterLike>(labels => made.labels(...labels))
  }
  const calls = counter('toolrack_tool_calls_total', 'Calls of tools, by how they ended.', ['tool', 'outcome'])
  const requests = counter('toolrack_requests_total', 'Requests, by method and revision.', [
    'method',
    'revision',
    'outcome',
  ])
  const refusals = counter('toolrack_refusals_total', 'Requests refused before they reached a method.', ['outcome'])
  const tasks = counter('toolrack_tasks_ended_total', 'Tasks that were handed out, by how they ended.', [
    'tool',
    'outcome',
  ])
  const decisions = counter('toolrack_limiter_decisions_total', 'Decisions of the limiters.', ['limiter', 'decision'])
  const replays = counter('toolrack_replayed_events_total', 'Events told again to clients that came back.', [])
  const fetches = counter('toolrack_jwks_fetches_total', "Fetches of the issuer's keys.", ['outcome'])
  const leftovers = counter(
    'toolrack_late_faults_total',
    'Faults that tools, or the top level of their files, left behind.',
    ['tool'],
  )
  const newDuration = createDurations(
    registry,
    'mcp_server_operation_duration_seconds',
    'Duration of a request, from when it was understood until its answer was there.',
  )
  const getDuration = memoizeByLabels(([method = '', tool = '', error = '']) =>
    newDuration({ mcp_method_name: method, gen_ai_tool_name: tool, error_type: error }),
  )

  // A series that begins at 1 has never risen: of what is rare the first would be missed.
  for (const limiter of LIMITERS) for (const decision of DECISIONS) decisions(limiter, decision).inc(0)
  for (const outcome of ['ok', 'failed']) fetches(outcome).inc(0)

  const served = createTallies(({ method, revision, tool, outcome }) => ({
    duration: getDuration(method, tool ?? '', isNoError(outcome) ? '' : outcome),
    counters: [requests(method, revision, outcome), ...(tool === undefined ? [] : [calls(tool, outcome)])],
  }))
  const decisionCounts = perLimiter(() => ({ allowed: 0, limited: 0 }))

  function settle(): void {
    served.settle()
    for (const limiter of LIMITERS) {
      for (const decision of DECISIONS) decisions(limiter, decision).inc(decisionCounts[limiter][decision])
      decisionCounts[limiter] = { allowed: 0, limited: 0 }
    }
  }

  return {
    served: served.count,
    refused: outcome => refusals(outcome).inc(),
    taskEnded: (tool, outcome) => tasks(tool, outcome).inc(),
    limited(limiter, decision) {
      decisionCounts[limiter][decision]++
    },
    replayed: events => replays().inc(events),
    jwksFetched: isFetched => fetches(isFetched ? 'ok' : 'failed').inc(),
    unhandledError: tool => leftovers(tool).inc(),
    gauge(name, help, read) {
      gauge(registry, { name, help, read })
    },
    async text() {
      settle()
      return (await Promise.all([registry.metrics(), ofProcess.metrics()])).join('')
    },
    contentType: registry.contentType,
    close: () => registry.clear(),
  }
}

const perLimiter = <T>(make: () => T): Record<LimiterName, T> => ({
  requests: make(),
  tools: make(),
  failures: make(),
  tokens: make(),
})

interface GaugeParts {
  readonly name: string
  readonly help: string
  read(): Reading | Promise<Reading>
}

function gauge(registry: Registry, { name, help, read }: GaugeParts): void {
  new Gauge({
    name,
    help,
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const reading = await read()
      this.reset()
      if (typeof reading === 'number') this.set(reading)
      else for (const [status, value] of Object.entries(reading)) this.set({ status }, value)
    },
  })
}

export const noMetrics: Metrics = Object.freeze({
  served: () => {},
  refused: () => {},
  taskEnded: () => {},
  limited: () => {},
  replayed: () => {},
  jwksFetched: () => {},
  unhandledError: () => {},
  gauge: () => {},
  text: async () => '',
  contentType: 'text/plain',
  close: () => {},
})

// A limiter whose decisions are counted.

export function createCountedLimits(limits: LocalLimits, name: LimiterName, metrics: Metrics): LocalLimits
export function createCountedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits
export function createCountedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits {
  function counted(decision: LimitDecision): LimitDecision {
    metrics.limited(name, decision.isAllowed ? 'allowed' : 'limited')
    return decision
  }

  // One that may not pass is turned away by the look alone; one that may is counted when it has
  // passed.
  function looked(decision: LimitDecision): LimitDecision {
    return decision.isAllowed ? decision : counted(decision)
  }

  return {
    take: (key: string, rule: LimitRule) => mapDecision(limits.take(key, rule), counted),
    peek: (key: string, rule: LimitRule) => mapDecision(limits.peek(key, rule), looked),
  }
}

type MapDecision = (decision: LimitDecision) => LimitDecision
const mapDecision = (decision: LimitDecision | Promise<LimitDecision>, tell: MapDecision) =>
  decision instanceof Promise ? decision.then(tell) : tell(decision)

/** Counts every request and every task that has ended. */
export function countEnded(metrics: Metrics): RequestEndedListener {
  return ({ source, ending: { outcome }, labels, durationMs = 0 }) => {
    if (source === 'http') {
      if (!isNoError(outcome)) metrics.refused(outcome)
      return
    }
    if (labels === undefined) return
    if (source === 'task') metrics.taskEnded(labels.tool ?? UNKNOWN, outcome)
    else metrics.served({ method: labels.method, revision: labels.revision, tool: labels.tool, outcome, durationMs })
  }
}
