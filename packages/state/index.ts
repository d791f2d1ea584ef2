// What `toolrack/state` exports, for those who write a store: the interfaces, the stores in memory,
// and the cases that every store has to pass.
export { type ErrorName, McpError } from '../../src/protocol/errors.ts'
export type { EventBounds, EventStore, Replay, StoredEvent, StreamKey } from '../../src/state/events.ts'
export type { FileStore, KeptFile } from '../../src/state/files.ts'
export type { Claim, ClaimedRun, ClaimRequest, KeptResults } from '../../src/state/kept-results.ts'
export type { LimitDecision, LimitRule, Limits } from '../../src/state/limits.ts'
export type { RemoteChange, SharedVersions } from '../../src/state/list-versions.ts'
export { memory } from '../../src/state/memory/state.ts'
export type { ReplicaChannel, ReplicaMessage } from '../../src/state/replicas.ts'
export type { SecretStore } from '../../src/state/secret.ts'
export { parseSessionRecord, toSessionRecord } from '../../src/state/session-record.ts'
export {
  createSessionId,
  type ListVersions,
  type NewSession,
  type Session,
  type SessionBounds,
  type SessionStore,
} from '../../src/state/sessions.ts'
export type { State } from '../../src/state/state.ts'
export { type Backend, StartError, type Store, type StoreContext } from '../../src/state/store.ts'
export { isVisibleChange, type Task, type TaskStatus, type TaskStep } from '../../src/state/task.ts'
export type { Lease, QueueBounds, QueueEntry, RunTask, TaskQueue } from '../../src/state/task-queue.ts'
export { parseTaskRecord } from '../../src/state/task-record.ts'
export { assertStepFits, assertTaskFits, type Usage, type UsageNow } from '../../src/state/task-usage.ts'
export { type TaskPosition, type TaskStore, USAGE_BOUNDS, type UsageBounds } from '../../src/state/tasks.ts'
export type { UsedTokens } from '../../src/state/used-tokens.ts'
export { type StateBounds, type TestedStore, type TestOptions, testState, testStore } from './test-state.ts'
