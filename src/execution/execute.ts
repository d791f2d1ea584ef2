// Runs one tool call: admit → validate → run → normalise → sanitise → check output.
// A tool's errors become outcomes; only protocol errors are thrown.
import { Questions } from '../input/questions.ts'
import { releaseState, takeAnswers } from '../input/request-state.ts'
import { askInRounds } from '../input/rounds.ts'
import { NotAwaited } from '../input/watch.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { discardFiles, hasFiles } from '../registry/file-content.ts'
import { copyJson } from '../registry/json-copy.ts'
import type { Tool } from '../registry/tool.ts'
import type { Ask, Exchange } from '../request/exchange.ts'
import { andThen, type MaybePromise, settle } from '../request/maybe-promise.ts'
import type { FailureFacts, OutcomeKind } from '../request/outcome.ts'
import type { Release } from './admission.ts'
import { Call } from './call.ts'
import { CallContext } from './call-context.ts'
import { explainUnaskable, toFailure } from './call-failure.ts'
import { callHandler } from './call-handler.ts'
import { checkOutput, withoutUnsentStructure } from './check-output.ts'
import type { CallExecutor } from './executor.ts'
import { keepFiles } from './files.ts'
import { StrayRuns } from './handler-runs.ts'
import { findIdempotencyKey } from './idempotency.ts'
import { normalise } from './normalise.ts'
import { runWithDeadline } from './run.ts'
import { sanitise } from './sanitise.ts'
import { validate } from './tool-failure.ts'
import { runAttributedToTool } from './unhandled-errors.ts'

export type CallOutcome =
  | { readonly kind: OutcomeKind; readonly result: CallToolResult; readonly facts?: FailureFacts | undefined }
  | { readonly kind: 'input_required'; readonly questions: Questions; readonly exchange: Exchange }

/**
 * Runs one tool call to an outcome; a tool's own failure is an outcome, not a throw.
 *
 * @returns newest-revision shape, at most `maxResultBytes` of UTF-8 JSON
 * @throws McpError BUSY, INVALID_STATE; MISSING_CAPABILITY if the revision refuses by error
 * Spec 2026-07-28: server/tools, "Error Handling"
 */
export function execute(executor: CallExecutor, tool: Tool, exchange: Exchange): MaybePromise<CallOutcome> {
  const call = new Call(executor, tool, exchange)
  const outcome = tool.use === undefined ? executeOnce(call) : whileInUse(tool.use, () => executeOnce(call))
  return tool.hasOwnText ? andThen(outcome, ended => withOwnText(ended, exchange)) : outcome
}

// Not before: a result that is kept for its key may be sent in another revision.
function withOwnText(outcome: CallOutcome, { revision }: Exchange): CallOutcome {
  if (outcome.kind === 'input_required') return outcome
  return { ...outcome, result: withoutUnsentStructure(outcome.result, revision) }
}

/** What the file of the tool has opened stays open until the call has ended, also while it waits. */
function whileInUse<T>(use: NonNullable<Tool['use']>, work: () => MaybePromise<T>): MaybePromise<T> {
  use.begin()
  return settle(
    work,
    outcome => {
      use.end()
      return outcome
    },
    error => {
      use.end()
      throw error
    },
  )
}

/** If the call has an idempotency key, only the first one runs. */
function executeOnce(call: Call): MaybePromise<CallOutcome> {
  const { executor, tool, exchange, args } = call
  if (!tool.hasIdempotency) return executeCall(call)
  return settle(
    () => {
      const key = findIdempotencyKey(tool, exchange)
      if (key === undefined) return executeCall(call)
      const timeoutMs = tool.timeoutMs ?? executor.rules.toolTimeoutMs
      const keyed = { tool, exchange, args, key, timeoutMs }
      return executor.idempotency.call(keyed, (own, run) => executeCall(new Call(executor, tool, own, run)))
    },
    outcome => outcome,
    error => toFailure(call, error),
  )
}

function executeCall(call: Call): MaybePromise<CallOutcome> {
  return settle(
    () => runRound(call, undefined),
    outcome => (outcome instanceof Questions ? askOrReturn(call, outcome) : outcome),
    error => explainUnaskable(call, error) ?? toFailure(call, error),
  )
}

function askOrReturn(call: Call, questions: Questions): MaybePromise<CallOutcome> {
  const { executor, exchange, run } = call
  const { ask } = exchange
  if (ask === undefined)
    return andThen(releaseState(executor, exchange, questions), () => ({ kind: 'input_required', questions, exchange }))
  const askAgain: Ask = open => {
    run?.startOver()
    return ask(open)
  }
  return askInRounds(questions, askAgain, answers => runRound(call, answers))
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
  const { executor, tool, exchange, args } = call
  const timed = exchange.timed ?? untimed
  const leave = () => {
    call.context?.close()
    release(exchange)
  }
  return settle<unknown, CallOutcome | Questions>(
    () => {
      timed('validate', () => validate(tool, args))
      const known = answers ?? takeAnswers(executor, tool, exchange)
      return andThen(known, found => timed('run', () => runHandler(call, found)))
    },
    returned =>
      andThen(call.context?.questions?.findForgotten(), forgotten => {
        if (forgotten !== undefined) throw forgotten
        const outcome = findUnfinished(call) ?? timed('check output', () => check(call, returned))
        leave()
        return outcome
      }),
    error => {
      leave()
      // A question that nobody waits for has not caused the error.
      const isAsking = call.context?.questions?.isAwaited === true
      const outcome = isAsking && !(error instanceof NotAwaited) ? findUnfinished(call) : undefined
      if (outcome === undefined || error instanceof McpError) throw error
      return outcome
    },
  )
}

// A call holds no slot while its client is asked. When it continues, its rate is not counted again.
function enter({ executor, tool, exchange }: Call, answers: JsonObject | undefined): MaybePromise<Release> {
  const { admission } = executor
  return answers === undefined ? admission.admit(tool, exchange) : admission.readmit(tool, exchange)
}

function runHandler(call: Call, answers: JsonObject): unknown {
  const { executor, tool, exchange, args, run } = call
  const { hooks, slowChecks } = executor
  const context = (call.context = new CallContext(tool.name, exchange, executor, answers, call))
  const filled = tool.fillDefaults === undefined ? args : tool.fillDefaults(args)
  // A copy, since a handler may change its arguments, and later rounds need the original.
  const count = (change: 1 | -1) => executor.admission.countAbandoned(tool, exchange, change)
  const strays = hasHooks(call) ? new StrayRuns(count) : undefined
  if (strays !== undefined) CallContext.onClose(context, () => strays.callEnds())
  const startCall = () =>
    runAttributedToTool(tool.name, executor.reportUnhandledError, () =>
      callHandler({ tool, args: copyJson(filled), ctx: context, run, strays, slowChecks }, hooks.onCall),
    )
  return runWithDeadline(startCall, {
    name: tool.name,
    timeoutMs: tool.timeoutMs ?? executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    finish: returned => finishFiles(call, returned),
    onAbandoned: strays === undefined ? count : change => strays.callAbandoned(change),
  })
}

const hasHooks = ({ executor, tool }: Call) => tool.onCall !== undefined || executor.hooks.onCall.length > 0

/** Reads the files of a result, unless nobody gets it. */
function finishFiles(call: Call, returned: unknown): MaybePromise<unknown> {
  const { executor, tool, exchange } = call
  if (!hasFiles(returned)) return returned
  let isAwaited = false
  try {
    isAwaited = exchange.cancellation.reason === undefined && findUnfinished(call) === undefined
  } finally {
    if (!isAwaited) discardFiles(returned)
  }
  return isAwaited ? keepFiles(tool, exchange, returned, executor.files) : undefined
}

function check({ executor, tool }: Call, returned: unknown): CallOutcome {
  const { maxResultBytes } = executor.rules
  try {
    const clean = sanitise(tool, normalise(tool, returned), maxResultBytes)
    return { kind: 'ok', result: checkOutput(tool, clean, maxResultBytes) }
  } catch (error) {
    discardFiles(returned)
    throw error
  }
}

const untimed = <T>(_step: string, work: () => T): T => work()

/** What the call ends with in place of the result of its handler. @throws McpError MISSING_CAPABILITY */
const findUnfinished = (call: Call): Questions | CallOutcome | undefined => openQuestions(call) ?? refuse(call)

function openQuestions({ exchange, context }: Call): Questions | undefined {
  return exchange.cancellation.reason === undefined ? context?.questions?.getIfOpen() : undefined
}

// Even if the handler has caught the error.
function refuse({ refusal, exchange }: Call): CallOutcome | undefined {
  return refusal === undefined || exchange.cancellation.reason !== undefined
    ? undefined
    : { kind: 'unconfirmed', result: refusal }
}
