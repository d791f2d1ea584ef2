// What `toolrack/state` exports, for those who write a store: the interfaces, the stores in memory,
// and the cases that every store has to pass.

export type { ErrorName } from '../../src/protocol/errors.ts'
export { findStateProblem } from '../../src/state/shape.ts'
export { closeState, startState } from '../../src/state/state.ts'
export type { TaskOutcome } from '../../src/state/task.ts'
export type { Lease } from '../../src/state/task-queue.ts'
export type { Usage, UsageNow } from '../../src/state/task-usage.ts'
export { memory } from '../memory/src/state.ts'
export { type StateBounds, type TestedStore, type TestOptions, testState, testStore } from '../state/src/test-state.ts'
export * from './stores.ts'
