// The histogram of durations. Counted here and told in prom-client's form, since its own `observe` looks at the labels of
// each, which cost a call more than all else that is counted.
import type { Histogram, Registry } from 'prom-client'

/** Seconds. As the conventions advise for `mcp.server.operation.duration`. */
export const DURATION_BUCKETS = Object.freeze([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300])

type Labels = Readonly<Record<string, string>>

/** Those of requests that are labelled alike. */
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

/** @returns how one more is made, which is told from then on */
export function durations(registry: Registry, name: string, help: string): (labels: Labels) => Duration {
  const made: Duration[] = []
  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: made.flatMap(duration => duration.values(name)) }),
  }
  // A registry asks its metrics for no more than that.
  registry.registerMetric(metric as unknown as Histogram)
  return labels => {
    const duration = new Duration(labels)
    made.push(duration)
    return duration
  }
}
