// What `toolrack/testing` exports.
export type { TokenDouble, TokenDoubleRequest } from '../registry/handler-context.ts'
export { findBreakingChanges } from './breaking-changes.ts'
export type { TaskReport } from './call.ts'
export type { LogEntry, ProgressReport } from './call-record.ts'
export type { CallResult } from './call-result.ts'
export type { Contract, ListedTool, ToolContract } from './contract.ts'
export { ContractError, expectContract, formatContract, parseContract } from './expect-contract.ts'
export type { CallOptions, TestCaller, TestOptions } from './options.ts'
export { ProtocolError } from './protocol-error.ts'
export {
  type AnswerQuestion,
  type Answers,
  type AskedQuestion,
  QuestionError,
  type ScriptedAnswer,
} from './questions.ts'
export type { TestTools } from './test-tools.ts'
export { testTools } from './test-tools.ts'
