// Counts the ends of requests: calls, refusals, and tasks.
import { isNoError, type RequestOutcome } from 'toolrack/protocol'
import { type RequestEndedListener, UNKNOWN } from 'toolrack/records'
import type { ServedRequest } from './histogram.ts'

export interface EndedCounts {
  served(served: ServedRequest): void
  /** A request was refused before it reached a method. */
  refused(outcome: RequestOutcome): void
  /** A task ended whose client has its id. */
  taskEnded(tool: string, outcome: RequestOutcome): void
}

export function countEnded(counts: EndedCounts): RequestEndedListener {
  return ({ source, ending: { outcome }, labels, durationMs = 0 }) => {
    if (source === 'http') {
      if (!isNoError(outcome)) counts.refused(outcome)
      return
    }
    if (labels === undefined) return
    if (source === 'task') counts.taskEnded(labels.tool ?? UNKNOWN, outcome)
    else counts.served({ method: labels.method, revision: labels.revision, tool: labels.tool, outcome, durationMs })
  }
}
