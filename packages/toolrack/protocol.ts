// Facts of the protocol: messages, revisions, errors, headers and content blocks.
export { type BlockFile, toContentsFile, toFile, toText } from '../../src/protocol/blocks.ts'
export {
  claimsModern,
  classify,
  META_CAPABILITIES,
  META_CLIENT,
  META_VERSION,
  readModernRevision,
} from '../../src/protocol/classify.ts'
export { CATALOGUE, type ErrorName, McpError } from '../../src/protocol/errors.ts'
export {
  encodeHeader,
  getHeader,
  type Headers,
  type MirroredParam,
  mirrorParams,
  PARAM_PREFIX,
} from '../../src/protocol/headers.ts'
export { parseJson } from '../../src/protocol/json.ts'
export { countJsonBytes } from '../../src/protocol/json-size.ts'
export {
  findReadableId,
  isObject,
  isRequestId,
  type JsonRpcResponse,
  type Message,
  readMessage,
} from '../../src/protocol/messages.ts'
export {
  type ClientRequest,
  findRevision,
  HTTP_SSE_REVISION,
  MODERN_VERSIONS,
  NEWEST_LEGACY,
  negotiate,
  type Revision,
  VERSIONS,
} from '../../src/protocol/revisions/index.ts'
export {
  AnyObject,
  LOG_LEVELS,
  META_LOG,
  META_LOG_LEVEL,
  META_PROGRESS,
  META_RELATED_TASK,
  META_SERVER,
  TASKS_EXTENSION,
} from '../../src/protocol/schemas/common.ts'
export type { ElicitResult } from '../../src/protocol/schemas/results.ts'
export { createErrorAnswer, createErrorBody, jitterRetryAfter } from '../../src/request/answer.ts'
export { Cancellation, type CancelReason } from '../../src/request/cancellation.ts'
export { formatClaim } from '../../src/request/claim-keys.ts'
export type {
  DetachedStream,
  Exchange,
  Log,
  NotificationSink,
  ProgressListener,
  SseConnection,
  StreamEvent,
} from '../../src/request/exchange.ts'
export { LogThrottle } from '../../src/request/log-throttle.ts'
export type { MaybePromise } from '../../src/request/maybe-promise.ts'
export { isNoError, type OutcomeFacts, type RequestOutcome } from '../../src/request/outcome.ts'
export type { Owners } from '../../src/request/owners.ts'
export { assertParams } from '../../src/request/params.ts'
export { PerKeyCounter } from '../../src/request/per-key-counter.ts'
export { run, type Steps, wait } from '../../src/request/steps.ts'
export { MAX_TIMER_MS, type Timer, type Timers } from '../../src/request/timers.ts'
export type { Unsent } from '../../src/request/unsent-bytes.ts'
