// Prometheus metrics. Label values are bounded: known methods and revisions, and served tools.
// Names follow OpenTelemetry's semantic conventions if those have one, in Prometheus's spelling.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import { Counter, collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { Mask } from 'toolrack/execution'
import { isNoError, MAX_TIMER_MS } from 'toolrack/protocol'
import { createNameCleaner, type LimiterName, type Metrics } from 'toolrack/records'
import { createCountedLimits } from './counted-limits.ts'
import { countEnded } from './ended.ts'
import { addGauges } from './gauges.ts'
import { type CounterLike, createDurations, createTallies } from './histogram.ts'
import { countTenants, type TenantEnding } from './tenants.ts'

/** One registry for all servers: prom-client starts timers and observers that cannot be stopped. */
let measured: Registry | undefined

/** Gauges named like counters. Each is the sum of a metric that has labels by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
/** 25 series that repeat `nodejs_eventloop_lag_*` and the CPU time. */
const UTILIZATION = ['nodejs_eventloop_utilization_summary', 'nodejs_eventloop_utilization_histogram']

/** Memory, CPU time, garbage collection and event-loop lag. */
function getProcessMetrics(): Registry {
  if (measured !== undefined) return measured
  measured = new Registry()
  // The default would wake the process ten times a second.
  collectDefaultMetrics({ register: measured, eventLoopUtilizationTimeout: MAX_TIMER_MS })
  for (const name of [...MISNAMED, ...UTILIZATION]) measured.removeSingleMetric(name)
  return measured
}

const DECISIONS = ['allowed', 'limited'] as const
const LIMITERS = ['requests', 'tools', 'failures', 'tokens'] as const
const EXCHANGE_OUTCOMES = ['ok', 'refused', 'failed', 'cached'] as const

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

export interface MetricsParts {
  readonly mask: Mask
  readonly tenantClaim: string | undefined
}

export function createMetrics({ mask, tenantClaim }: MetricsParts): Metrics {
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

  const limited: Metrics['limited'] = (limiter, decision) => {
    decisionCounts[limiter][decision]++
  }

  function tenantEnded({ tenant, outcome, durationMs }: TenantEnding): void {
    counters.tenants(tenant, outcome).inc()
    if (durationMs !== undefined) counters.tenantSeconds(tenant).inc(durationMs / 1000)
  }

  const onEnded = countEnded({
    served: served.count,
    refused: outcome => counters.refusals(outcome).inc(),
    taskEnded: (tool, outcome) => counters.tasks(tool, outcome).inc(),
  })

  return {
    listeners: [
      onEnded,
      ...(tenantClaim === undefined ? [] : [countTenants(tenantClaim, tenantEnded, createNameCleaner(mask))]),
    ],
    limited,
    countLimits: (limits, name) => createCountedLimits(limits, decision => limited(name, decision)),
    replayed: events => counters.replays().inc(events),
    jwksFetched: isFetched => counters.fetches(isFetched ? 'ok' : 'failed').inc(),
    tokenExchanged: outcome => counters.exchanges(outcome).inc(),
    unhandledError: tool => counters.unhandled(tool).inc(),
    auditLinesLost: lines => counters.lostLines().inc(lines),
    watch: server => addGauges(registry, server),
    async text() {
      settle()
      return (await Promise.all([registry.metrics(), ofProcess.metrics()])).join('')
    },
    close: () => registry.clear(),
  }
}

const perLimiter = <T>(make: () => T): Record<LimiterName, T> => ({
  requests: make(),
  tools: make(),
  failures: make(),
  tokens: make(),
})
