// One call of a tool, step by step: limit → validate → run → normalise → sanitise → check output.
// Whatever a tool does wrong is an outcome; only what the protocol must refuse is thrown.
import { chain, type Eventually } from '../chain.ts'
import type { Exchange } from '../exchange.ts'
import { Questions } from '../input/questions.ts'
import { inRounds } from '../input/rounds.ts'
import { unaskableText } from '../input/unaskable.ts'
import type { OutcomeKind } from '../outcome-kind.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolParams } from '../protocol/schemas/methods.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { copyJson } from '../registry/plain-json.ts'
import type { Tool } from '../registry/tool.ts'
import type { Seal } from '../seal.ts'
import type { Spent } from '../state/spent.ts'
import { bringAnswers } from './answers.ts'
import { checkOutput } from './check-output.ts'
import { CallContext } from './context.ts'
import { errorText, isToolError } from './error-text.ts'
import { failureResult, ToolFailure } from './failure.ts'
import type { FaultLog } from './fault-log.ts'
import { type LateFaultReport, runAttributed } from './late-faults.ts'
import type { Admission, Entrance, Release } from './limit.ts'
import type { Mask } from './mask.ts'
import { normalise } from './normalise.ts'
import { run } from './run.ts'
import { sanitise } from './sanitise.ts'
import { validate } from './validate.ts'

export type Outcome =
  | { readonly kind: OutcomeKind; readonly result: CallToolResult }
  | { readonly kind: 'input_required'; readonly questions: Questions }

export interface Executor {
  readonly admission: Admission
  readonly mask: Mask
  readonly seal: Seal
  readonly spent: Spent
  readonly reportLateFault: LateFaultReport
  readonly faults: FaultLog
  readonly rules: {
    readonly toolTimeoutMs: number
    readonly maxResultBytes: number
    /** `tool-errors` shows the text of ToolError only. */
    readonly errorMessages: 'all' | 'tool-errors'
  }
}

/** What one call needs of it. */
export type CallExecutor = Omit<Executor, 'admission'> & { readonly admission: Entrance }

interface Call {
  readonly executor: CallExecutor
  readonly tool: Tool
  readonly exchange: Exchange
  context: CallContext | undefined
}

const NO_ARGUMENTS = Object.freeze({})

/**
 * Runs one tool call to an outcome; a tool's own failure is an outcome, not a throw.
 *
 * @returns newest-revision shape, at most `maxResultBytes` of UTF-8 JSON
 * @throws McpError BUSY, INVALID_STATE, and in revisions that want it MISSING_CAPABILITY
 * Spec 2026-07-28: server/tools, "Error Handling"
 */
export function execute(executor: CallExecutor, tool: Tool, exchange: Exchange): Eventually<Outcome> {
  const call: Call = { executor, tool, exchange, context: undefined }
  return chain(
    () => inRounds(exchange.ask, answers => admit(call, answers)),
    outcome => (outcome instanceof Questions ? { kind: 'input_required', questions: outcome } : outcome),
    error => unaskable(call, error) ?? failed(call, error),
  )
}

// It could not be asked, and its revision would have its model know rather than the client.
function unaskable({ executor, tool, exchange, context }: Call, error: unknown): Outcome | undefined {
  const asked = context?.questions?.unaskable
  if (asked === undefined || exchange.revision.refusesUnaskable) return undefined
  if (!(error instanceof McpError) || error.reason !== 'MISSING_CAPABILITY') return undefined
  const text = errorText(unaskableText(tool.name, asked), executor.mask)
  return { kind: 'tool_error', result: failureResult(text) }
}

// A question keeps no slot while it waits; its answer is the same call, which has been counted.
function admit(call: Call, answers: JsonObject | undefined): Eventually<Outcome | Questions> {
  const { executor, tool, exchange } = call
  const { admission } = executor
  const release = answers === undefined ? admission.admit(tool, exchange) : admission.readmit(tool, exchange)
  if (release instanceof Promise) return release.then(ready => attempt(call, ready, answers))
  return attempt(call, release, answers)
}

function attempt(call: Call, release: Release, answers: JsonObject | undefined): Eventually<Outcome | Questions> {
  const end = () => {
    call.context?.close()
    release(call.exchange)
  }
  return chain<unknown, Outcome | Questions>(
    () => start(call, answers),
    returned => {
      const outcome = question(call) ?? finish(call, returned)
      end()
      return outcome
    },
    error => {
      end()
      const asked = question(call)
      if (asked === undefined || error instanceof McpError) throw error
      return asked
    },
  )
}

function start(call: Call, answers: JsonObject | undefined): unknown {
  const { executor, tool, exchange } = call
  const { arguments: args = NO_ARGUMENTS } = exchange.params as CallToolParams
  timedOf(exchange)('validate', () => validate(tool, args))
  const known = answers ?? bringAnswers(executor, tool, exchange)
  return known instanceof Promise ? known.then(brought => handle(call, args, brought)) : handle(call, args, known)
}

function handle(call: Call, args: object, answers: JsonObject): unknown {
  const { executor, tool, exchange } = call
  const context = (call.context = new CallContext(tool.name, exchange, executor.mask, answers))
  // A copy, so that a handler may change its arguments: the client's own are compared when it answers a question.
  const start = () => runAttributed(tool.name, executor.reportLateFault, () => tool.handler(copyJson(args), context))
  const limits = {
    name: tool.name,
    timeoutMs: tool.timeoutMs ?? executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    onStray: (change: 1 | -1) => executor.admission.stray(tool, exchange, change),
  }
  return timedOf(exchange)('run', () => run(start, limits))
}

function finish({ executor, tool, exchange }: Call, returned: unknown): Outcome {
  const { maxResultBytes } = executor.rules
  const check = () => checkOutput(tool, sanitise(tool, normalise(tool, returned), maxResultBytes), maxResultBytes)
  return { kind: 'ok', result: timedOf(exchange)('check output', check) }
}

const untimed = <T>(_step: string, work: () => T): T => work()
const timedOf = ({ timed }: Exchange) => timed ?? untimed

function question({ exchange, context }: Call): Questions | undefined {
  return exchange.cancellation.reason === undefined ? context?.questions?.whenOpen() : undefined
}

function failed({ executor, tool, exchange }: Call, error: unknown): Outcome {
  if (error instanceof McpError) throw error
  const failure =
    error instanceof ToolFailure ? told(error, executor.mask) : fromThrown(executor, tool, exchange, error)
  if (failure.kind === 'invalid_arguments' && exchange.revision.refusesInvalidArguments) throw invalidParams(failure)
  if (failure.kind === 'invalid_output' || failure.kind === 'timed_out') {
    const { requestId, log } = exchange
    const { kind, message: reason } = failure
    const fields = () => ({ tool: tool.name, requestId, kind, reason })
    executor.faults.tell(log, 'warn', { text: 'tool failed', name: `${tool.name} ${kind}`, fields })
  }
  return { kind: failure.kind, result: failureResult(failure.message) }
}

// What is wrong with a result is named by its keys, which are output too.
function told(failure: ToolFailure, mask: Mask): ToolFailure {
  return failure.kind === 'invalid_output' ? new ToolFailure(failure.kind, errorText(failure, mask)) : failure
}

// Before 2025-11-25. The message of an error is short; all faults are in its `data`.
export function invalidParams({ message }: ToolFailure): McpError {
  const [, faults = message] = message.split(/: (.*)/s)
  return new McpError('INVALID_ARGUMENTS', faults, { data: { reason: message } })
}

function fromThrown(executor: CallExecutor, tool: Tool, exchange: Exchange, thrown: unknown): ToolFailure {
  const reason = errorText(thrown, executor.mask)
  const isShown = executor.rules.errorMessages === 'all' || isToolError(thrown)
  const { requestId, log } = exchange
  const fields = () => ({ tool: tool.name, requestId, reason, ...executor.faults.originOf(log, thrown) })
  executor.faults.threw(log, thrown, { text: 'tool threw', name: tool.name, fields })
  return new ToolFailure('tool_error', isShown ? reason : `Tool failed (ref ${requestId})`)
}
