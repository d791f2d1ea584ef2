// Interfaces, bounds and records of stores. `toolrack/state` publishes each of them, and adds the cases of
// stores, which a server must not load.
export { McpError } from '../../src/protocol/errors.ts'
export {
  type EventBounds,
  type EventStore,
  MAX_EVENTS_PER_STREAM,
  MAX_EVENTS_SIZE,
  MAX_STREAM_SIZE,
  type Replay,
  STREAM_TTL_MS,
  type StoredEvent,
  type StreamKey,
} from '../../src/state/events.ts'
export { FILE_BOUNDS, FILE_TTL_MS, type FileStore, type KeptFile } from '../../src/state/files.ts'
export {
  CLAIM_MS,
  type Claim,
  type ClaimedRun,
  type ClaimRequest,
  KEPT_BOUNDS,
  KEPT_MS,
  type KeptResults,
  mayTakeOver,
} from '../../src/state/kept-results.ts'
export type { LimitDecision, LimitRule, Limits } from '../../src/state/limits.ts'
export {
  type ListName,
  localVersions,
  MAX_VERSION,
  parseListVersions,
  type RemoteChange,
  type SharedVersions,
} from '../../src/state/list-versions.ts'
export { MemoryLimits } from '../../src/state/memory-limits.ts'
export { noReplicas, type ReplicaChannel, type ReplicaMessage } from '../../src/state/replicas.ts'
export type { SecretStore } from '../../src/state/secret.ts'
export {
  createSessionId,
  type ListVersions,
  MAX_EVICTION_SCAN,
  MAX_SESSIONS,
  NEVER_SEEN,
  type NewSession,
  type Session,
  type SessionBounds,
  type SessionStore,
  tooManySessions,
} from '../../src/state/sessions.ts'
export type { State } from '../../src/state/state.ts'
export { alreadyStarted, type Backend, StartError, type Store, type StoreContext } from '../../src/state/store.ts'
export { hasEnded, isVisibleChange, type Task, type TaskStatus, type TaskStep } from '../../src/state/task.ts'
export {
  MAX_RUNNING_PER_SUBJECT,
  type QueueBounds,
  type QueueEntry,
  REQUEUE_MS,
  type RunTask,
  type TaskQueue,
  toQueueKey,
} from '../../src/state/task-queue.ts'
export { assertStepFits, assertTaskFits, TaskUsage } from '../../src/state/task-usage.ts'
export {
  clientTasksTooLarge,
  END_RESERVE_BYTES,
  TASK_SWEEP_MS,
  type TaskPosition,
  type TaskStore,
  tooManyClientTasks,
  tooManyTasks,
  USAGE_BOUNDS,
  type UsageBounds,
} from '../../src/state/tasks.ts'
export { MAX_USED_TOKENS, type UsedTokens } from '../../src/state/used-tokens.ts'
export { MemoryTaskQueue } from '../memory/src/task-queue.ts'
export { parseJson, parseObject } from '../state/src/json-text.ts'
export { parseSessionRecord, toSessionRecord } from '../state/src/session-record.ts'
export { parseTaskRecord } from '../state/src/task-record.ts'
export { findUnanswered } from '../state/src/unanswered.ts'
