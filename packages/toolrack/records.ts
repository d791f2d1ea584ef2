// Records of requests: their ends, what hears of them, the log, and the report of the start.
export type { Audit, AuditEvent } from '../../src/observability/audit.ts'
export {
  createNameCleaner,
  MAX_URI_LENGTH,
  type NameCleaner,
  shortenTaskId,
} from '../../src/observability/clean-name.ts'
export { stderr, stdout } from '../../src/observability/logger.ts'
export {
  type Decision,
  DURATION_BUCKETS,
  type LimiterName,
  type Metrics,
  type WatchedServer,
} from '../../src/observability/metrics.ts'
export {
  type Ending,
  type RequestEnded,
  type RequestEndedListener,
  type Target,
  toErrorEnding,
  UNKNOWN,
} from '../../src/observability/request-ended.ts'
export type { Shown, StartUpReport, StartUpRow } from '../../src/observability/start-up.ts'
export { findTraceId, parseTraceId } from '../../src/observability/trace-context.ts'
export type { RequestSpan, Tracing } from '../../src/observability/tracing.ts'
export { findStateProblems } from '../../src/state/state.ts'
export { getBackend } from '../../src/state/store.ts'
