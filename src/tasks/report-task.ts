// A line for the log, and one for the audit, when a task ends whose client was told of it.
import type { Audit } from '../audit/audit.ts'
import { type Ending, labelOf } from '../audit/outcome.ts'
import type { Exchange, Log } from '../exchange.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Task } from '../task.ts'

export interface ReportParts {
  readonly audit: Audit
  readonly metrics: Metrics
  readonly log: Log
}

interface Ended {
  readonly task: Task
  readonly exchange: Exchange
  readonly ending: Ending
  readonly startedMs: number
}

export function reportTask({ audit, metrics }: ReportParts, { task, exchange, ending, startedMs }: Ended): void {
  const { requestId, caller, clientKey, headers, method, params, log } = exchange
  const durationMs = performance.now() - startedMs
  metrics.taskEnded(task.tool, labelOf(ending))
  const elapsedMs = Math.round(durationMs * 10) / 10
  log[audit.noteLevel]({ requestId, tool: task.tool, outcome: ending.outcome, elapsedMs }, 'task ended')
  if (!audit.isOn) return
  audit.write({
    requestId,
    caller,
    clientKey,
    headers,
    method,
    params,
    taskId: task.id,
    ending,
    durationMs,
    requestBytes: undefined,
    responseBytes: undefined,
  })
}
