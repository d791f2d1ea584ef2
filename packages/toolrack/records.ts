// Records of requests: log, audit, metrics, and the report of the start.

export { hashLine } from '../../src/observability/audit-chain.ts'
export { NOUNS, type Shown, type StartUpRow, toReport } from '../../src/observability/banner.ts'
export {
  createNameCleaner,
  MAX_URI_LENGTH,
  type NameCleaner,
  shortenTaskId,
} from '../../src/observability/clean-name.ts'
export { hasColour, prettyStream, stderr, stdout } from '../../src/observability/logger.ts'
export { assertAuditFile } from '../../src/observability/open-audit-file.ts'
export {
  type RequestEnded,
  type RequestEndedListener,
  type Target,
  toErrorEnding,
} from '../../src/observability/request-ended.ts'
export { startTelemetry } from '../../src/observability/sdk.ts'
