// Prometheus metrics. Label values are bounded: known methods and revisions, and served tools.
// Names follow OpenTelemetry's semantic conventions if those have one, in Prometheus's spelling.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import type { ExchangeOutcome } from '../execution/caller-tokens.ts'
import { isNoError, type RequestOutcome } from '../request/outcome.ts'
import { MAX_TIMER_MS } from '../request/timers.ts'
import { type CounterLike, createDurations, createTallies, type ServedRequest } from './histogram.ts'
import type { RequestEndedListener } from './request-ended.ts'

/** One for all servers: prom-client starts timers and observers that cannot be stopped. */
let measured: Registry | undefined

/** Gauges named like counters. Each is the sum of a metric that has labels by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
/** 25 series that repeat `nodejs_eventloop_lag_*` and the CPU time. */
const UTILIZATION = ['nodejs_eventloop_utilization_summary', 'nodejs_eventloop_utilization_histogram']

/** Memory, CPU time, garbage collection and event-loop lag. */
export function getProcessMetrics(): Registry {
  if (measured !== undefined) return measured
  measured = new Registry()
  // The default would wake the process ten times a second.
  collectDefaultMetrics({ register: measured, eventLoopUtilizationTimeout: MAX_TIMER_MS })
  for (const name of [...MISNAMED, ...UTILIZATION]) measured.removeSingleMetric(name)
  return measured
}

/** Label value in place of unknown names. */
export const UNKNOWN = '_OTHER'

const DECISIONS = ['allowed', 'limited'] as const
const LIMITERS = ['requests', 'tools', 'failures', 'tokens'] as const
export type Decision = (typeof DECISIONS)[number]
export type LimiterName = (typeof LIMITERS)[number]
const EXCHANGE_OUTCOMES: readonly ExchangeOutcome[] = ['ok', 'refused', 'failed', 'cached']

export interface TenantEnding {
  readonly tenant: string
  readonly outcome: RequestOutcome
  /** Undefined if no method was reached. */
  readonly durationMs: number | undefined
}

export interface Metrics {
  served(served: ServedRequest): void
  /** A request was refused before it reached a method. */
  refused(outcome: RequestOutcome): void
  /** A task ended whose client has its id. */
  taskEnded(tool: string, outcome: RequestOutcome): void
  /** @param ended with a tenant that is one of few */
  tenantEnded(ended: TenantEnding): void
  limited(limiter: LimiterName, decision: Decision): void
  replayed(events: number): void
  jwksFetched(isFetched: boolean): void
  tokenExchanged(outcome: ExchangeOutcome): void
  /** An unhandled error of a tool or of a tool file's top level. */
  unhandledError(tool: string): void
  auditLinesLost(lines: number): void
  /** Registers a gauge that is read at each scrape. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void
  /** In the Prometheus text format. */
  text(): Promise<string>
  readonly contentType: string
  close(): void
}

/** A number, or one for each status label. */
export type Reading = number | Readonly<Record<string, number>>

/** Creates each child once, since looking up labels costs more than counting. */
function memoizeByLabels<C>(make: (labels: readonly string[]) => C): (...labels: string[]) => C {
  const children = new Map<string, C>()
  return (...labels) => {
    const key = labels.join('\n')
    let child = children.get(key)
    if (child === undefined) children.set(key, (child = make(labels)))
    return child
  }
}

type CounterRow = readonly [name: string, help: string, ...labels: string[]]

const COUNTERS = {
  calls: ['toolrack_tool_calls_total', 'Calls of tools, by how they ended.', 'tool', 'outcome'],
  requests: ['toolrack_requests_total', 'Requests, by method and revision.', 'method', 'revision', 'outcome'],
  refusals: ['toolrack_refusals_total', 'Requests refused before they reached a method.', 'outcome'],
  tasks: ['toolrack_tasks_ended_total', 'Tasks that were handed out, by how they ended.', 'tool', 'outcome'],
  decisions: ['toolrack_limiter_decisions_total', 'Decisions of the limiters.', 'limiter', 'decision'],
  tenants: ['toolrack_tenant_requests_total', 'Requests of callers, by their tenant.', 'tenant', 'outcome'],
  tenantSeconds: [
    'toolrack_tenant_duration_seconds_total',
    'The time that the requests of a tenant took, from when they were understood.',
    'tenant',
  ],
  replays: ['toolrack_replayed_events_total', 'Events told again to clients that came back.'],
  fetches: ['toolrack_jwks_fetches_total', "Fetches of the issuer's keys.", 'outcome'],
  exchanges: ['toolrack_token_exchanges_total', 'Tokens that tools asked for on behalf of callers.', 'outcome'],
  unhandled: [
    'toolrack_unhandled_errors_total',
    'Errors of tools, or of the top level of their files, that nobody caught.',
    'tool',
  ],
  lostLines: ['toolrack_audit_lines_lost_total', 'Lines of the audit that are in no file.'],
} as const satisfies Readonly<Record<string, CounterRow>>

type Counters = Readonly<Record<keyof typeof COUNTERS, (...labels: string[]) => CounterLike>>

function createCounters(registry: Registry): Counters {
  const create = ([name, help, ...labelNames]: CounterRow) => {
    const made = new Counter({ name, help, labelNames, registers: [registry] })
    return memoizeByLabels<CounterLike>(values => made.labels(...values))
  }
  const counters = Object.fromEntries(Object.entries(COUNTERS).map(([key, row]) => [key, create(row)])) as Counters
  // Created at 0: Prometheus would miss the first event of a series that starts at 1.
  for (const limiter of LIMITERS) for (const decision of DECISIONS) counters.decisions(limiter, decision).inc(0)
  for (const outcome of ['ok', 'failed']) counters.fetches(outcome).inc(0)
  for (const outcome of EXCHANGE_OUTCOMES) counters.exchanges(outcome).inc(0)
  return counters
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const ofProcess = getProcessMetrics()
  const counters = createCounters(registry)
  const newDuration = createDurations(
    registry,
    'mcp_server_operation_duration_seconds',
    'Duration of a request, from when it was understood until its answer was there.',
  )
  const getDuration = memoizeByLabels(([method = '', tool = '', error = '']) =>
    newDuration({ mcp_method_name: method, gen_ai_tool_name: tool, error_type: error }),
  )
  const { requests, calls, decisions } = counters
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
    refused: outcome => counters.refusals(outcome).inc(),
    taskEnded: (tool, outcome) => counters.tasks(tool, outcome).inc(),
    tenantEnded({ tenant, outcome, durationMs }) {
      counters.tenants(tenant, outcome).inc()
      if (durationMs !== undefined) counters.tenantSeconds(tenant).inc(durationMs / 1000)
    },
    limited(limiter, decision) {
      decisionCounts[limiter][decision]++
    },
    replayed: events => counters.replays().inc(events),
    jwksFetched: isFetched => counters.fetches(isFetched ? 'ok' : 'failed').inc(),
    tokenExchanged: outcome => counters.exchanges(outcome).inc(),
    unhandledError: tool => counters.unhandled(tool).inc(),
    auditLinesLost: lines => counters.lostLines().inc(lines),
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
  tenantEnded: () => {},
  limited: () => {},
  replayed: () => {},
  jwksFetched: () => {},
  tokenExchanged: () => {},
  unhandledError: () => {},
  auditLinesLost: () => {},
  gauge: () => {},
  text: async () => '',
  contentType: 'text/plain',
  close: () => {},
})

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
