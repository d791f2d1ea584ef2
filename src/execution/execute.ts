// Runs one tool call: validate → admit → run → normalise → sanitise → check output. methods/tools.ts
// has found the tool, and has checked that the caller may call it. A tool's errors become outcomes;
// only protocol errors are thrown.
import { releaseState, takeAnswers } from '../input/request-state.ts'
import { askInRounds, type InputRequired, isInputRequired } from '../input/rounds.ts'
import { NotAwaited } from '../input/watch.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { discardFiles, hasFiles } from '../registry/file-content.ts'
import { copyJson } from '../registry/json-copy.ts'
import type { Tool } from '../registry/tool.ts'
import type { Ask, Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { OutcomeFacts, OutcomeKind } from '../request/outcome.ts'
import { run, type Steps, wait } from '../request/steps.ts'
import { Call } from './call.ts'
import { CallContext } from './call-context.ts'
import { explainUnaskable, type Failed, toFailure, toHandlerFailure } from './call-failure.ts'
import { callHandler } from './call-handler.ts'
import { checkOutput, findFacts, withoutUnsentStructure } from './check-output.ts'
import type { CallExecutor } from './executor.ts'
import { keepFiles } from './files.ts'
import { AbandonedHandlers } from './handler-runs.ts'
import { findIdempotencyKey } from './idempotency.ts'
import { normalise } from './normalise.ts'
import { runWithDeadline } from './run.ts'
import { sanitise } from './sanitise.ts'
import { validate } from './tool-failure.ts'
import { runAttributedToTool } from './unhandled-errors.ts'

interface Outcome {
  readonly kind: OutcomeKind
  readonly result: CallToolResult
  readonly facts?: OutcomeFacts | undefined
}

export type CallOutcome = Outcome | InputRequired

/**
 * Runs one tool call to an outcome. A tool's own failure is an outcome, and is not thrown.
 *
 * @returns newest-revision shape, at most `maxResultBytes` of UTF-8 JSON
 * @throws McpError BUSY, INVALID_STATE; MISSING_CAPABILITY if the revision refuses by error
 * Spec 2026-07-28: server/tools, "Error Handling"
 */
export function execute(executor: CallExecutor, tool: Tool, exchange: Exchange): MaybePromise<CallOutcome> {
  const call = new Call(executor, tool, exchange)
  const steps = tool.hasIdempotency ? executeOnce(call) : executeInRounds(call, runOnce)
  return run(tool.use === undefined && !tool.hasOwnText ? steps : withinUse(call, steps))
}

/** Keeps open what the tool's file has opened until the call has ended, also while the call waits. */
function* withinUse({ tool, exchange }: Call, steps: Steps<CallOutcome>): Steps<CallOutcome> {
  tool.use?.begin()
  try {
    const outcome = yield* steps
    if (!tool.hasOwnText || isInputRequired(outcome)) return outcome
    // Only now: a result that is kept for its key may be sent in another revision.
    return { ...outcome, result: withoutUnsentStructure(outcome.result, exchange.revision) }
  } finally {
    tool.use?.end()
  }
}

/** Of calls with the same idempotency key, runs only the first. */
function* executeOnce(call: Call): Steps<CallOutcome> {
  const { executor, tool, exchange, args } = call
  try {
    const key = findIdempotencyKey(tool, exchange)
    if (key === undefined) return yield* executeInRounds(call, runOnce)
    const timeoutMs = tool.timeoutMs ?? executor.rules.toolTimeoutMs
    const keyed = { tool, exchange, args, key, timeoutMs }
    const work = (own: Exchange, keyedRun: Call['run']) =>
      run(executeInRounds(new Call(executor, tool, own, keyedRun), runOnce))
    return yield* wait(executor.idempotency.call(keyed, work))
  } catch (error) {
    return toFailure(call, error)
  }
}

/** Runs the handler of a call. @param answers undefined in the first round @param rounds the earlier ones */
export type Round<T> = (call: Call, answers: JsonObject | undefined, rounds: number) => Steps<T | InputRequired>

/**
 * Validates a call and runs it. Runs it again each time that its client was asked during the request.
 *
 * @param round runs it here, or as a task
 */
export function* executeInRounds<T extends object>(call: Call, round: Round<T>): Steps<T | Failed | InputRequired> {
  const { executor, tool, exchange, args } = call
  const { ask, timed = untimed } = exchange
  try {
    timed('validate', () => validate(tool, args))
    const outcome = yield* round(call, undefined, 0)
    if (!isInputRequired(outcome)) return outcome
    if (ask !== undefined) {
      const askAgain: Ask = open => {
        call.run?.startOver()
        return ask(open)
      }
      return yield* askInRounds(outcome, askAgain, (answers, rounds) => round(call, answers, rounds))
    }
    yield* wait(releaseState(executor, exchange, outcome.questions))
    return outcome
  } catch (error) {
    return toFailure(call, error)
  }
}

// A call holds no slot while its client is asked. Its rate is not counted again when it continues.
function* runOnce(call: Call, answers: JsonObject | undefined): Steps<CallOutcome> {
  const { executor, tool, exchange } = call
  const { admission } = executor
  const { timed = untimed } = exchange
  const admitted = answers === undefined ? admission.admit(tool, exchange) : admission.readmit(tool, exchange)
  const release = yield* wait(admitted)
  let context: CallContext | undefined
  try {
    const known = answers ?? (yield* wait(takeAnswers(executor, tool, exchange)))
    const own = (context = new CallContext(tool.name, exchange, executor, known, call))
    const returned = yield* wait(timed('run', () => runHandler(call, own)))
    const forgotten = yield* wait(own.questions?.findForgotten())
    if (forgotten !== undefined) throw forgotten
    return findUnfinished(call, own) ?? timed('check output', () => check(call, returned))
  } catch (error) {
    return findAsked(call, context, error) ?? toHandlerFailure(call, error)
  } finally {
    context?.close()
    release()
  }
}

const untimed = <T>(_step: string, work: () => T): T => work()

function runHandler(call: Call, context: CallContext): unknown {
  const { executor, tool, exchange, args, run } = call
  const { hooks, slowChecks } = executor
  const filled = tool.fillDefaults === undefined ? args : tool.fillDefaults(args)
  const count = (change: 1 | -1) => executor.admission.countAbandoned(tool, exchange, change)
  const abandoned = hasHooks(call) ? new AbandonedHandlers(count) : undefined
  if (abandoned !== undefined) CallContext.onClose(context, () => abandoned.callEnds())
  // A copy, since a handler may change its arguments, and later rounds need the original.
  const startCall = () =>
    runAttributedToTool(tool.name, executor.reportUnhandledError, () =>
      callHandler({ tool, args: copyJson(filled), ctx: context, run, abandoned, slowChecks }, hooks.onCall),
    )
  return runWithDeadline(startCall, {
    name: tool.name,
    timeoutMs: tool.timeoutMs ?? executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    finish: returned => finishFiles(call, context, returned),
    onAbandoned: abandoned === undefined ? count : change => abandoned.callAbandoned(change),
  })
}

const hasHooks = ({ executor, tool }: Call) => tool.onCall.length > 0 || executor.hooks.onCall.length > 0

/** Reads the files of a result, unless the result is not delivered. */
function finishFiles(call: Call, context: CallContext, returned: unknown): MaybePromise<unknown> {
  const { executor, tool, exchange } = call
  if (!hasFiles(returned)) return returned
  let isAwaited = false
  try {
    isAwaited = exchange.cancellation.reason === undefined && findUnfinished(call, context) === undefined
  } finally {
    if (!isAwaited) discardFiles(returned)
  }
  return isAwaited ? keepFiles(tool, exchange, returned, executor.files) : undefined
}

function check({ executor, tool }: Call, returned: unknown): Outcome {
  const { maxResultBytes } = executor.rules
  try {
    const clean = sanitise(tool, normalise(tool, returned), maxResultBytes)
    return { kind: 'ok', result: checkOutput(tool, clean, maxResultBytes), facts: findFacts(clean) }
  } catch (error) {
    discardFiles(returned)
    throw error
  }
}

/**
 * The outcome if the handler has asked or lacks consent, in place of its result.
 *
 * @throws McpError MISSING_CAPABILITY
 */
function findUnfinished(call: Call, { questions }: CallContext): CallOutcome | undefined {
  const { exchange } = call
  if (exchange.cancellation.reason !== undefined) return undefined
  const open = questions?.getIfOpen()
  if (open !== undefined) return { kind: 'input_required', questions: open, exchange }
  // Also if the handler has caught the error.
  const { refusal } = call
  return refusal && { kind: 'unconfirmed', result: refusal }
}

/** The outcome of a call whose handler has thrown while it waited for an answer. */
function findAsked(call: Call, context: CallContext | undefined, thrown: unknown): CallOutcome | undefined {
  // The error does not come from a question that nobody waits for.
  if (!context?.questions?.isAwaited || thrown instanceof NotAwaited) return undefined
  const unaskable = explainUnaskable(call, context.questions)
  if (unaskable !== undefined) return unaskable
  const unfinished = findUnfinished(call, context)
  return thrown instanceof McpError ? undefined : unfinished
}
