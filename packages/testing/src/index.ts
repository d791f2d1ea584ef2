// The exports of `toolrack/testing`.
export type { TokenDouble, TokenDoubleRequest } from 'toolrack/definitions'
export type { ElicitResult } from 'toolrack/protocol'
export type { TaskStatus } from 'toolrack/stores'
export type { TaskReport, TaskStatusReport } from './call.ts'
export type { LogEntry, ProgressReport } from './call-record.ts'
export type { CallResult } from './call-result.ts'
export { findBreakingChanges } from './contract/breaking-changes.ts'
export type { Contract, ContractAnnotations, ListedTool, ToolContract } from './contract/contract.ts'
export { ContractError, expectContract, formatContract, parseContract } from './contract/expect-contract.ts'
export type { TestClock } from './fake-clock.ts'
export type { CallOptions, TestCaller, TestOptions } from './options.ts'
export { ProtocolError, type ProtocolErrorFacts } from './protocol-error.ts'
export {
  type AnswerQuestion,
  type Answers,
  type AskedQuestion,
  QuestionError,
  type ScriptedAnswer,
} from './questions.ts'
export { type TestTools, testTools } from './test-tools.ts'
export type { PromptCalls, ServerArguments, ToolCalls, TypedCall } from './typed-calls.ts'
