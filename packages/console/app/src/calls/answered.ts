// The answer of a call, read once for all of its views: the parts of its result, its JSON, its text and its file.
import { sliceMember } from '../parts/json-layout.ts'
import { type ResultFile, toFile, toPartText } from '../results/part-text.ts'
import { type Fields, listViews, type Part, type Parts, toParts } from '../results/parts.ts'
import { toJson } from '../results/values.ts'
import type { TaskEntry } from '../tasks/task-list.ts'
import type { Call } from './call.ts'

export interface Answered {
  /** Undefined if the server answered with an error. */
  readonly parts: Parts | undefined
  /** The only part of a plain result, which fills the pane. */
  readonly only: Part | undefined
  readonly views: readonly (readonly [view: string, label: string])[]
  readonly viewLabel: 'View' | 'Zoom'
  /** The value of the result, or the whole result, or the error; as it was written. */
  readonly json: string
  /** Without extension. */
  readonly fileName: string
  readonly isToolError: boolean
  readonly result: Fields | undefined
  toText(): string
  toFile(): ResultFile
}

/** @returns undefined while the call runs, and if no answer came or was kept */
export function readAnswered(tool: string, call: Call | undefined, task: TaskEntry | undefined): Answered | undefined {
  if (call === undefined || call.status === 'running') return undefined
  const result = call.status === 'task' ? task?.result : call.result
  const whole = findJson(call, result)
  if (whole === undefined) return undefined
  const parts = result && toParts(result)
  const isToolError = result?.['isError'] === true
  const only = parts !== undefined && !isToolError ? findOnly(parts) : undefined
  const json = sliceMember(whole, 'structuredContent') ?? (only?.kind === 'value' ? only.text : undefined) ?? whole
  const views = only === undefined ? [] : listViews(only)
  return {
    parts,
    only,
    views,
    viewLabel: only?.kind === 'picture' ? 'Zoom' : 'View',
    json,
    fileName: tool,
    isToolError,
    result,
    toText: () => (only && toPartText(only)?.()) ?? json,
    toFile: () => (only && toFile(only, tool)) ?? { name: `${tool}.json`, data: json },
  }
}

/** As the server wrote it, if known. The result of a task came in another message. */
function findJson(call: Call, result: Fields | undefined): string | undefined {
  const { answerText, status } = call
  if (status !== 'task' && answerText !== undefined)
    return sliceMember(answerText, 'result') ?? sliceMember(answerText, 'error') ?? answerText
  return result === undefined ? undefined : toJson(result)
}

function findOnly({ shown, blockCount }: Parts): Part | undefined {
  const [first, second] = shown
  const hasExtras = first !== undefined && ('annotations' in first.block || '_meta' in first.block)
  return second === undefined && !hasExtras && blockCount < MANY ? first?.part : undefined
}

const MANY = 200
