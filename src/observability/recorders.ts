// The recorders of ends of requests. Each is in a package that is imported only if it is on.
import { type Audit, noAudit } from './audit.ts'
import { type Metrics, noMetrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

export interface Recorders {
  readonly audit: Audit
  readonly metrics: Metrics
  /** Undefined if no OpenTelemetry SDK listens. */
  readonly tracing: Tracing | undefined
}

export const NO_RECORDERS: Recorders = Object.freeze({ audit: noAudit, metrics: noMetrics, tracing: undefined })
