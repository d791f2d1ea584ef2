// Runs one tool call: admit → validate → run → normalise → sanitise → check output.
// A tool's errors become outcomes; only protocol errors are thrown.
import type { Seal } from '../auth/seal.ts'
import { createMissingCapabilityText } from '../input/capabilities.ts'
import { Questions } from '../input/questions.ts'
import { takeAnswers } from '../input/request-state.ts'
import { askInRounds } from '../input/rounds.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolParams } from '../protocol/schemas/methods.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { copyJson } from '../registry/json-copy.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import { andThen, type MaybePromise, settle } from '../request/maybe-promise.ts'
import type { OutcomeKind } from '../request/outcome.ts'
import type { UsedTokens } from '../state/state.ts'
import type { Admission, AdmissionGate, Release } from './admission.ts'
import { CallContext } from './call-context.ts'
import { checkOutput } from './check-output.ts'
import { errorText, isToolError } from './error-text.ts'
import type { HandlerErrorLog } from './handler-error-log.ts'
import type { Mask } from './mask.ts'
import { normalise } from './normalise.ts'
import { runWithDeadline } from './run.ts'
import { sanitise } from './sanitise.ts'
import { failureResult, ToolFailure, validate } from './tool-failure.ts'
import { type ReportUnhandledError, runAttributedToTool } from './unhandled-errors.ts'

export type CallOutcome =
  | { readonly kind: OutcomeKind; readonly result: CallToolResult }
  | { readonly kind: 'input_required'; readonly questions: Questions; readonly exchange: Exchange }

export interface Executor {
  readonly admission: Admission
  readonly mask: Mask
  readonly seal: Seal
  readonly usedTokens: UsedTokens
  readonly reportUnhandledError: ReportUnhandledError
  readonly errorLog: HandlerErrorLog
  readonly rules: {
    readonly toolTimeoutMs: number
    readonly maxResultBytes: number
    /** `tool-errors` shows the text of ToolError only. */
    readonly errorMessages: 'all' | 'tool-errors'
  }
}

/** The executor for one call. */
export type CallExecutor = Omit<Executor, 'admission'> & { readonly admission: AdmissionGate }

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
 * @throws McpError BUSY, INVALID_STATE; MISSING_CAPABILITY if the revision refuses by error
 * Spec 2026-07-28: server/tools, "Error Handling"
 */
export function execute(executor: CallExecutor, tool: Tool, exchange: Exchange): MaybePromise<CallOutcome> {
  const call: Call = { executor, tool, exchange, context: undefined }
  return settle(
    () => runRound(call, undefined),
    outcome => (outcome instanceof Questions ? askOrReturn(call, outcome) : outcome),
    error => explainUnaskable(call, error) ?? toFailure(call, error),
  )
}

function askOrReturn(call: Call, questions: Questions): MaybePromise<CallOutcome> {
  const { exchange } = call
  const { ask } = exchange
  if (ask === undefined) return { kind: 'input_required', questions, exchange }
  return askInRounds(questions, ask, answers => runRound(call, answers))
}

/** @param answers of earlier rounds; undefined in the first */
function runRound(call: Call, answers: JsonObject | undefined): MaybePromise<CallOutcome | Questions> {
  return andThen(enter(call, answers), release => runSteps(call, answers, release))
}

function runSteps(
  call: Call,
  answers: JsonObject | undefined,
  release: Release,
): MaybePromise<CallOutcome | Questions> {
  const { executor, tool, exchange } = call
  const { arguments: args = NO_ARGUMENTS } = exchange.params as CallToolParams
  const timed = exchange.timed ?? untimed
  const leave = () => {
    call.context?.close()
    release(exchange)
  }
  return settle<unknown, CallOutcome | Questions>(
    () => {
      timed('validate', () => validate(tool, args))
      const known = answers ?? takeAnswers(executor, tool, exchange)
      return andThen(known, found => timed('run', () => runHandler(call, args, found)))
    },
    returned => {
      const outcome = openQuestions(call) ?? timed('check output', () => check(call, returned))
      leave()
      return outcome
    },
    error => {
      leave()
      const questions = openQuestions(call)
      if (questions === undefined || error instanceof McpError) throw error
      return questions
    },
  )
}

// A call holds no slot while its client is asked. When it continues, its rate is not counted again.
function enter({ executor, tool, exchange }: Call, answers: JsonObject | undefined): MaybePromise<Release> {
  const { admission } = executor
  return answers === undefined ? admission.admit(tool, exchange) : admission.readmit(tool, exchange)
}

function runHandler(call: Call, args: object, answers: JsonObject): unknown {
  const { executor, tool, exchange } = call
  const context = (call.context = new CallContext(tool.name, exchange, executor.mask, answers))
  // A copy, since a handler may change its arguments, and later rounds need the original.
  const startCall = () =>
    runAttributedToTool(tool.name, executor.reportUnhandledError, () => tool.handler(copyJson(args), context))
  return runWithDeadline(startCall, {
    name: tool.name,
    timeoutMs: tool.timeoutMs ?? executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    onAbandoned: change => executor.admission.countAbandoned(tool, exchange, change),
  })
}

function check({ executor, tool }: Call, returned: unknown): CallOutcome {
  const { maxResultBytes } = executor.rules
  const clean = sanitise(tool, normalise(tool, returned), maxResultBytes)
  return { kind: 'ok', result: checkOutput(tool, clean, maxResultBytes) }
}

const untimed = <T>(_step: string, work: () => T): T => work()

function openQuestions({ exchange, context }: Call): Questions | undefined {
  return exchange.cancellation.reason === undefined ? context?.questions?.getIfOpen() : undefined
}

// If the revision does not reject missing capabilities, the model gets a text that it can act on.
function explainUnaskable({ executor, tool, exchange, context }: Call, error: unknown): CallOutcome | undefined {
  const asked = context?.questions?.missingCapabilities
  if (asked === undefined || exchange.revision.refusesMissingCapabilities) return undefined
  if (!(error instanceof McpError) || error.reason !== 'MISSING_CAPABILITY') return undefined
  const text = errorText(createMissingCapabilityText(tool.name, asked), executor.mask)
  return { kind: 'tool_error', result: failureResult(text) }
}

function toFailure({ executor, tool, exchange }: Call, error: unknown): CallOutcome {
  if (error instanceof McpError) throw error
  const failure =
    error instanceof ToolFailure ? maskFailure(error, executor.mask) : toToolFailure(executor, tool, exchange, error)
  if (failure.kind === 'invalid_arguments' && exchange.revision.refusesInvalidArguments) throw invalidParams(failure)
  if (failure.kind === 'invalid_output' || failure.kind === 'timed_out') {
    const { requestId, log } = exchange
    const { kind, message: reason } = failure
    const fields = () => ({ tool: tool.name, requestId, kind, reason })
    executor.errorLog.log(log, 'warn', { text: 'tool failed', name: `${tool.name} ${kind}`, fields })
  }
  return { kind: failure.kind, result: failureResult(failure.message) }
}

// An invalid result is described by its keys, which may contain secrets too.
function maskFailure(failure: ToolFailure, mask: Mask): ToolFailure {
  return failure.kind === 'invalid_output' ? new ToolFailure(failure.kind, errorText(failure, mask)) : failure
}

// For revisions before 2025-11-25: a short message, with all issues in `data`.
export function invalidParams({ message }: ToolFailure): McpError {
  const [, faults = message] = message.split(/: (.*)/s)
  return new McpError('INVALID_ARGUMENTS', faults, { data: { reason: message } })
}

function toToolFailure(executor: CallExecutor, tool: Tool, exchange: Exchange, thrown: unknown): ToolFailure {
  const reason = errorText(thrown, executor.mask)
  const isShown = executor.rules.errorMessages === 'all' || isToolError(thrown)
  const { requestId, log } = exchange
  const fields = () => ({ tool: tool.name, requestId, reason, ...executor.errorLog.describeOrigin(log, thrown) })
  executor.errorLog.logThrown(log, thrown, { text: 'tool threw', name: tool.name, fields })
  return new ToolFailure('tool_error', isShown ? reason : `Tool failed (ref ${requestId})`)
}
