// The duration histogram and the request counters. prom-client's `observe` checks the labels of
// every observation, which would cost a call more than all other counting.
import type { Histogram, Registry } from '@prometheus-io/client'
import type { RequestOutcome } from 'toolrack/protocol'
import { DURATION_BUCKETS } from 'toolrack/records'

type Labels = Readonly<Record<string, string>>

/** Durations of requests with the same labels. */
export class Duration {
  readonly #labels: Labels
  readonly #counts: number[] = DURATION_BUCKETS.map(() => 0)
  #count = 0
  #sum = 0

  constructor(labels: Labels) {
    this.#labels = labels
  }

  observe(seconds: number): void {
    this.#count++
    this.#sum += seconds
    for (let bucket = 0; bucket < DURATION_BUCKETS.length; bucket++) {
      if (seconds > DURATION_BUCKETS[bucket]!) continue
      this.#counts[bucket]!++
      return
    }
  }

  values(name: string) {
    const labels = this.#labels
    let below = 0
    const buckets = DURATION_BUCKETS.map((le, bucket) => {
      below += this.#counts[bucket]!
      return { metricName: `${name}_bucket`, labels: { le: String(le), ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ]
  }
}

/** @returns creates a series, which is exported from then on */
export function createDurations(registry: Registry, name: string, help: string): (labels: Labels) => Duration {
  const made: Duration[] = []
  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: made.flatMap(duration => duration.values(name)) }),
  }
  // The registry uses no other members of a metric.
  registry.registerMetric(metric as unknown as Histogram)
  return labels => {
    const duration = new Duration(labels)
    made.push(duration)
    return duration
  }
}

/** Label values of a request; each has few distinct values. */
export interface ServedRequest {
  readonly method: string
  readonly revision: string
  /** Undefined if the request did not call a tool. */
  readonly tool: string | undefined
  readonly outcome: RequestOutcome
  readonly durationMs: number
}

export interface CounterLike {
  inc(value?: number): void
}

export interface SeriesParts {
  readonly duration: Duration
  readonly counters: readonly CounterLike[]
}

interface CountedSeries extends SeriesParts {
  readonly like: ServedRequest
  count: number
}

/** @param make called once for each combination of labels */
export function createTallies(make: (served: ServedRequest) => SeriesParts) {
  // By tool or method. Each has few combinations, so a scan is faster than building a full key.
  const all = new Map<string, CountedSeries[]>()

  function find(served: ServedRequest): CountedSeries {
    const key = served.tool ?? served.method
    let some = all.get(key)
    if (some === undefined) all.set(key, (some = []))
    for (const tally of some) if (isLike(tally.like, served)) return tally
    const made = { ...make(served), like: served, count: 0 }
    some.push(made)
    return made
  }

  return {
    count(served: ServedRequest): void {
      const tally = find(served)
      tally.count++
      tally.duration.observe(served.durationMs / 1000)
    },
    settle(): void {
      for (const tally of [...all.values()].flat()) {
        for (const counter of tally.counters) counter.inc(tally.count)
        tally.count = 0
      }
    },
  }
}

const isLike = (a: ServedRequest, b: ServedRequest): boolean =>
  a.outcome === b.outcome && a.tool === b.tool && a.revision === b.revision && a.method === b.method
