// The execution of calls: bounds of time and text, questions, and errors that handlers leave behind.
export type { Mask } from '../../src/execution/mask.ts'
export { dropErrorListeners, forbidProcessEnds } from '../../src/execution/process-exit-guard.ts'
export { Progress } from '../../src/execution/progress.ts'
export { getCurrentSource } from '../../src/execution/unhandled-errors.ts'
export { findFieldIssues, isElicitResult, readAnswer, toElicitAnswer } from '../../src/input/answers.ts'
export { MAX_ROUNDS } from '../../src/input/rounds.ts'
export { POLL_INTERVAL_MS } from '../../src/tasks/describe.ts'
export {
  toAnswered,
  toCancelled,
  toCompleted,
  toHandedOut,
  toInputRequired,
  toStarted,
  withStatusMessage,
} from '../../src/tasks/transitions.ts'
