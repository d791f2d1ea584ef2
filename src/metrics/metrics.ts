// What a server counts, for Prometheus. Label values are bounded: methods and revisions that exist, tools that are served.
// Names follow the semantic conventions of OpenTelemetry where those have one, in Prometheus's spelling.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import { Counter, Gauge, Registry } from 'prom-client'
import { durations } from './durations.ts'
import { processMetrics } from './process-metrics.ts'
import { type Counted, type Served, tallies } from './tallies.ts'

/** In place of what clients made up. */
export const UNKNOWN = '_OTHER'

/** Outcomes that are no error: not all are results. */
export const FINE: ReadonlySet<string> = new Set(['ok', 'input_required', 'task', 'streaming'])

const DECISIONS = ['allowed', 'limited'] as const
const LIMITERS = ['requests', 'tools', 'failures', 'tokens'] as const
export type Decision = (typeof DECISIONS)[number]
export type LimiterName = (typeof LIMITERS)[number]

export interface Metrics {
  served(served: Served): void
  /** What was refused before it reached a method. */
  refused(outcome: string): void
  /** One whose client was given a task. */
  taskEnded(tool: string, outcome: string): void
  limited(limiter: LimiterName, decision: Decision): void
  replayed(events: number): void
  keysFetched(isFetched: boolean): void
  /** A fault that a tool left behind when it had answered, or the top level of a tool file. */
  leftBehind(tool: string): void
  /** Read when somebody looks. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void
  /** As Prometheus reads it. */
  text(): Promise<string>
  readonly contentType: string
  close(): void
}

/** A number, or one for each status. */
export type Reading = number | Readonly<Record<string, number>>

/** @returns what is made once for each combination of labels: they are few, and making one costs more than counting */
function childrenOf<C>(make: (labels: readonly string[]) => C): (...labels: string[]) => C {
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
  const ofProcess = processMetrics()
  const counter = (name: string, help: string, labelNames: string[]) => {
    const made = new Counter({ name, help, labelNames, registers: [registry] })
    return childrenOf<Counted>(labels => made.labels(...labels))
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
  const newDuration = durations(
    registry,
    'mcp_server_operation_duration_seconds',
    'Duration of a request, from when it was understood until its answer was there.',
  )
  const durationOf = childrenOf(([method = '', tool = '', error = '']) =>
    newDuration({ mcp_method_name: method, gen_ai_tool_name: tool, error_type: error }),
  )

  // A series that begins at 1 has never risen: of what is rare the first would be missed.
  for (const limiter of LIMITERS) for (const decision of DECISIONS) decisions(limiter, decision).inc(0)
  for (const outcome of ['ok', 'failed']) fetches(outcome).inc(0)

  const served = tallies(({ method, revision, tool, outcome }) => ({
    duration: durationOf(method, tool ?? '', FINE.has(outcome) ? '' : outcome),
    counters: [requests(method, revision, outcome), ...(tool === undefined ? [] : [calls(tool, outcome)])],
  }))
  const decided = perLimiter(() => ({ allowed: 0, limited: 0 }))

  function settle(): void {
    served.settle()
    for (const limiter of LIMITERS) {
      for (const decision of DECISIONS) decisions(limiter, decision).inc(decided[limiter][decision])
      decided[limiter] = { allowed: 0, limited: 0 }
    }
  }

  return {
    served: served.count,
    refused: outcome => refusals(outcome).inc(),
    taskEnded: (tool, outcome) => tasks(tool, outcome).inc(),
    limited(limiter, decision) {
      decided[limiter][decision]++
    },
    replayed: events => replays().inc(events),
    keysFetched: isFetched => fetches(isFetched ? 'ok' : 'failed').inc(),
    leftBehind: tool => leftovers(tool).inc(),
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
  keysFetched: () => {},
  leftBehind: () => {},
  gauge: () => {},
  text: async () => '',
  contentType: 'text/plain',
  close: () => {},
})
