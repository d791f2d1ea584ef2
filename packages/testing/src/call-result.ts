// The result of a tool's call, for a test.
import type { CallToolResult, ContentBlock, JsonObject } from 'toolrack'
import { META_SERVER } from 'toolrack/protocol'
import type { EndedCall, TaskReport } from './call.ts'
import type { LogEntry, ProgressReport } from './call-record.ts'
import type { AskedQuestion } from './questions.ts'

/** The return value of a call in a test. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
export interface CallResult<S = any> {
  /** All blocks of text, joined by line breaks. */
  readonly text: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent: S
  /** True if the tool has failed. */
  readonly isError: boolean
  /** The `_meta` that the tool has set; undefined if there is none. */
  readonly _meta: JsonObject | undefined
  /** From all rounds, in order. */
  readonly progress: readonly ProgressReport[]
  /** From all rounds and all levels, in order. */
  readonly logs: readonly LogEntry[]
  readonly questions: readonly AskedQuestion[]
  /** Undefined if the call ended with its request. */
  readonly task: TaskReport | undefined
}

export function toCallResult<S>({ result, record, questions, task }: EndedCall): CallResult<S> {
  const { content = [], structuredContent, isError = false, _meta } = result as Partial<CallToolResult>
  return {
    text: content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n'),
    content,
    structuredContent: structuredContent as S,
    isError,
    _meta: withoutServer(_meta),
    progress: record.progress,
    logs: record.logs,
    questions,
    task,
  }
}

/** Leaves out the members that the server adds to every result. */
export function withoutServer({ [META_SERVER]: _, ...own }: JsonObject = {}): JsonObject | undefined {
  return Object.keys(own).length === 0 ? undefined : own
}
