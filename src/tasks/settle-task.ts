// One run of a task's handler → the step that the task takes: its end, or the questions that it asks.
import type { Access } from '../access/access.ts'
import { type Ending, endingOf, endingOfError } from '../audit/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { cut } from '../execution/error-text.ts'
import { type CallExecutor, execute, type Outcome } from '../execution/execute.ts'
import { failureResult } from '../execution/failure.ts'
import { MAX_ROUNDS, TooManyRounds } from '../input/rounds.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import type { Task, TaskStep } from '../task.ts'
import { ask, complete, fail } from '../task-steps.ts'
import { answerOf, errorOutcome, interrupted, mapValues } from './outcome.ts'

export interface Settling {
  readonly task: Task
  /** Undefined where it is served no more. */
  readonly tool: Tool | undefined
  readonly exchange: Exchange
}

export interface Settled {
  readonly step: TaskStep
  /** Undefined where the task has not ended. */
  readonly ending: Ending | undefined
  /** What it was refused with. */
  readonly error?: unknown
}

/** Never throws: what goes wrong is how the task ends. */
export async function settle(access: Access, executor: CallExecutor, settling: Settling): Promise<Settled> {
  const { task, exchange } = settling
  const { cancellation, requestId, log } = exchange
  try {
    const outcome = await execute(executor, toolOf(access, settling), exchange)
    if (outcome.kind === 'input_required') return { step: stepOfQuestions(task, outcome), ending: undefined }
    const { kind, result } = outcome
    if (kind === 'cancelled' && cancellation.reason === 'shutdown') throw interrupted()
    const statusMessage = result.isError === true ? reasonOf(task.tool, result) : undefined
    const ending = endingOf(kind, result.isError === true, cancellation.reason)
    return { step: complete({ kind, result }, statusMessage), ending }
  } catch (error) {
    if (!(error instanceof McpError)) log.error({ err: error, requestId }, 'internal error')
    const outcome = errorOutcome(error)
    return { step: fail(outcome, outcome.error.message), ending: endingOfError(error, cancellation.reason), error }
  }
}

// Looked at each time: what its caller may, and what is served, may have changed since it was called.
function toolOf(access: Access, { task, tool, exchange }: Settling): Tool {
  if (tool === undefined || tool.task === 'forbidden') throw new McpError('UNKNOWN_TOOL', task.tool)
  access.assertMay(exchange.caller, tool)
  return tool
}

function stepOfQuestions({ rounds }: Task, { questions }: Extract<Outcome, { kind: 'input_required' }>): TaskStep {
  const { open, used } = questions
  if (rounds < MAX_ROUNDS) return ask(open, mapValues(used, answerOf))
  const text = `The tool ${new TooManyRounds().message}`
  return complete({ kind: 'tool_error', result: failureResult(text) }, text)
}

const MAX_STATUS = 1000

// Every failure says why, also where its tool has begun with a picture, or said nothing.
function reasonOf(tool: string, { content }: { readonly content: readonly object[] }): string {
  const texts = content.map(block => (isObject(block) && block['type'] === 'text' ? String(block['text']) : ''))
  return cut(texts.find(text => text.trim() !== '') ?? `${tool} failed without a message`, MAX_STATUS)
}
