// The execution of calls: bounds of time and text, questions, and errors that handlers leave behind.
export { CallContext, getExchange, ignoreProgress } from '../../src/execution/call-context.ts'
export type { Asking, CallerTokens, ExchangeOutcome } from '../../src/execution/caller-tokens.ts'
export type { Isolation, IsolationParts } from '../../src/execution/isolation.ts'
export type { LiveSecrets } from '../../src/execution/live-secrets.ts'
export { createSecretMask, type Mask } from '../../src/execution/mask.ts'
export { invalidResult } from '../../src/execution/normalise.ts'
export { Progress } from '../../src/execution/progress.ts'
export { resultTooLarge } from '../../src/execution/sanitise.ts'
export { Semaphore } from '../../src/execution/semaphore.ts'
export { ToolFailure } from '../../src/execution/tool-failure.ts'
export { getCurrentSource } from '../../src/execution/unhandled-errors.ts'
export { findFieldIssues, isElicitResult, readAnswer, toElicitAnswer } from '../../src/input/answers.ts'
export { Refused } from '../../src/input/questions.ts'
export { MAX_ROUNDS } from '../../src/input/rounds.ts'
export { ToolError } from '../../src/registry/content.ts'
export { Cancellation } from '../../src/request/cancellation.ts'
export { POLL_INTERVAL_MS } from '../../src/tasks/describe.ts'
export type { TaskToolParts, TaskTools } from '../../src/tasks/task-tools.ts'
export type { TaskService } from '../../src/tasks/tasks.ts'
export {
  toAnswered,
  toCancelled,
  toCompleted,
  toHandedOut,
  toInputRequired,
  toStarted,
  withStatusMessage,
} from '../../src/tasks/transitions.ts'
export { dropErrorListeners, forbidProcessEnds } from '../isolation/src/process-exit-guard.ts'
