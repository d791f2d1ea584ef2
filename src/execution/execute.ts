// One call of a tool, step by step: limit → validate → run → normalise → sanitise → check output.
// Whatever a tool does wrong is an outcome; only what the protocol must refuse is thrown.
import type { Exchange } from '../exchange.ts'
import { InputNeeded, type Questions } from '../input/questions.ts'
import { openState, type RequestState, sealState } from '../input/request-state.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolParams } from '../protocol/schemas/methods.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import type { Tool } from '../registry/tool.ts'
import type { Seal } from '../seal.ts'
import type { Spent } from '../state/spent.ts'
import { checkOutput } from './check-output.ts'
import { CallContext } from './context.ts'
import { errorText, isToolError } from './error-text.ts'
import { type FailureKind, ToolFailure } from './failure.ts'
import { type LateFaultReport, runAttributed } from './late-faults.ts'
import type { Admission } from './limit.ts'
import type { Mask } from './mask.ts'
import { normalise } from './normalise.ts'
import { run } from './run.ts'
import { sanitise } from './sanitise.ts'
import { validate } from './validate.ts'

export type Outcome =
  | { readonly kind: 'ok' | FailureKind; readonly result: CallToolResult }
  | { readonly kind: 'input_required'; readonly questions: Questions; readonly requestState: string }

export interface Executor {
  readonly admission: Admission
  readonly mask: Mask
  readonly seal: Seal
  readonly spent: Spent
  readonly reportLateFault: LateFaultReport
  readonly rules: {
    readonly toolTimeoutMs: number
    readonly maxResultBytes: number
    /** `tool-errors` shows the text of ToolError only. */
    readonly errorMessages: 'all' | 'tool-errors'
  }
}

const NO_ARGUMENTS = Object.freeze({})
const NO_ANSWERS: JsonObject = Object.freeze({})

/**
 * Runs one tool call to an outcome; a tool's own failure is an outcome, not a throw.
 *
 * @returns newest-revision shape, at most `maxResultBytes` of UTF-8 JSON
 * @throws McpError BUSY, INVALID_STATE, MISSING_CAPABILITY
 * Spec 2026-07-28: server/tools, "Error Handling"
 */
export async function execute(executor: Executor, tool: Tool, exchange: Exchange): Promise<Outcome> {
  const { arguments: args = NO_ARGUMENTS } = exchange.params as CallToolParams
  try {
    const admitted = executor.admission.admit(tool, exchange)
    const release = admitted instanceof Promise ? await admitted : admitted
    try {
      validate(tool, args)
      return await attempt(executor, tool, exchange, args)
    } finally {
      release()
    }
  } catch (error) {
    return outcomeOf(executor, tool, exchange, error)
  }
}

async function attempt(executor: Executor, tool: Tool, exchange: Exchange, args: unknown): Promise<Outcome> {
  const state = openState(executor.seal, exchange)
  const context = new CallContext(tool.name, exchange, executor.mask, answersOf(exchange, state))
  if (state !== undefined && tool.isOneTime && (await executor.spent.has(state.id))) throw alreadyUsed()
  try {
    const returned = await start(executor, tool, exchange, args, context)
    const question = unanswered(executor, exchange, context, state)
    if (question !== undefined) return question
    if (state !== undefined && tool.isOneTime) await executor.spent.spend(state.id, state.expiresAtMs)
    const { maxResultBytes } = executor.rules
    const clean = sanitise(tool, normalise(tool, returned), maxResultBytes)
    return { kind: 'ok', result: checkOutput(tool, clean, maxResultBytes) }
  } catch (error) {
    const question = unanswered(executor, exchange, context, state)
    if (question !== undefined) return question
    throw error
  } finally {
    context.close()
  }
}

function start(executor: Executor, tool: Tool, exchange: Exchange, args: unknown, context: CallContext): unknown {
  const origin = { tool: tool.name, report: executor.reportLateFault }
  return run(() => runAttributed(origin, () => tool.handler(args, context)), {
    name: tool.name,
    timeoutMs: tool.timeoutMs ?? executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    onStray: change => executor.admission.stray(tool, change),
  })
}

function answersOf(exchange: Exchange, state: RequestState | undefined): JsonObject {
  const fresh = (exchange.params as CallToolParams).inputResponses
  if (state === undefined) return fresh ?? NO_ANSWERS
  return { ...fresh, ...state.answers }
}

// A handler may have caught what its question threw, so what counts is that the question is open.
function unanswered(
  executor: Executor,
  exchange: Exchange,
  context: CallContext,
  state: RequestState | undefined,
): Outcome | undefined {
  const { questions } = context
  if (questions === undefined || exchange.cancellation.reason !== undefined) return undefined
  if (questions.refusal !== undefined) throw questions.refusal
  if (!questions.hasOpen) return undefined
  const requestState = sealState(executor.seal, exchange, state, questions.used)
  return { kind: 'input_required', questions, requestState }
}

const alreadyUsed = () =>
  new McpError('INVALID_STATE', 'the call that it belongs to was already completed; call again without it')

function outcomeOf(executor: Executor, tool: Tool, exchange: Exchange, error: unknown): Outcome {
  if (error instanceof McpError || error instanceof InputNeeded) throw error
  const failure = error instanceof ToolFailure ? error : fromThrown(executor, tool, exchange, error)
  if (failure.kind === 'invalid_output' || failure.kind === 'timed_out') {
    exchange.log.warn(
      { tool: tool.name, requestId: exchange.requestId, kind: failure.kind, reason: failure.message },
      'tool failed',
    )
  }
  return { kind: failure.kind, result: { content: [{ type: 'text', text: failure.message }], isError: true } }
}

function fromThrown(executor: Executor, tool: Tool, exchange: Exchange, thrown: unknown): ToolFailure {
  const { mask, rules } = executor
  const reason = errorText(thrown, mask)
  const isShown = rules.errorMessages === 'all' || isToolError(thrown)
  exchange.log.info({ tool: tool.name, requestId: exchange.requestId, reason }, 'tool threw')
  return new ToolFailure('tool_error', isShown ? reason : `Tool failed (ref ${exchange.requestId})`)
}
