// What is measured of the process, once however many servers it holds: each measure is a timer and an observer that
// prom-client cannot end.
import { collectDefaultMetrics, Registry } from 'prom-client'

let measured: Registry | undefined

/** Sums of what is there by type, named as counters are and none. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Memory, CPU time, garbage collection, event-loop lag. */
export function processMetrics(): Registry {
  if (measured !== undefined) return measured
  measured = new Registry()
  collectDefaultMetrics({ register: measured })
  for (const name of MISNAMED) measured.removeSingleMetric(name)
  return measured
}
