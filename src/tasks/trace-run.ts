// A run of a task as a span, in the trace of the request that made the task.
import type { Tracing } from '../tracing/tracing.ts'
import type { Settled, Settling } from './settle-task.ts'

type Settle = (settling: Settling) => Promise<Settled>

/** @param tracing undefined where nothing is traced */
export async function traceRun(tracing: Tracing | undefined, settling: Settling, settle: Settle): Promise<Settled> {
  if (tracing === undefined) return settle(settling)
  const startedMs = performance.now()
  const span = tracing.beginRun(settling.exchange, settling.task.tool)
  const settled = await span.within(() => settle({ ...settling, exchange: span.exchange }))
  const { ending = { outcome: 'input_required' }, error } = settled
  span.end({ ending, error, durationMs: performance.now() - startedMs })
  return settled
}
