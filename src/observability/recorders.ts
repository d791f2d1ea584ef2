// The recorders of ends of requests. Each is in a package that is imported only if it is on.
import type { Audit } from './audit.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

export interface Recorders {
  readonly audit: Audit
  readonly metrics: Metrics
  /** Undefined if no OpenTelemetry SDK listens. */
  readonly tracing: Tracing | undefined
}
