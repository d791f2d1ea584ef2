// Runs the handler of a prompt or a resource, with a deadline and with questions to the client.
// Turns its errors into protocol errors.
import { CallContext } from '../execution/call-context.ts'
import { explains } from '../execution/call-failure.ts'
import { isToolError } from '../execution/error-text.ts'
import type { Executor } from '../execution/executor.ts'
import { runWithDeadline } from '../execution/run.ts'
import { ToolFailure } from '../execution/tool-failure.ts'
import { runAttributedToTool } from '../execution/unhandled-errors.ts'
import { beginHandler, callWithin } from '../execution/within-hooks.ts'
import { collectAnswers, openRequestState } from '../input/request-state.ts'
import { askInRounds, type InputRequired, isInputRequired } from '../input/rounds.ts'
import { NotAwaited } from '../input/watch.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { ToolContext } from '../registry/handler-context.ts'
import type { Around } from '../registry/hooks.ts'
import { JsonCopier, NotJsonError, TooLargeError } from '../registry/json-copy.ts'
import type { Entry } from '../registry/registry.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { run, type Steps, wait } from '../request/steps.ts'
import { cleanLine } from '../text/clean.ts'
import type { MethodResult } from './method.ts'

const ignoreAbandoned = () => {}

interface HandlerSteps {
  /** Keeps open what the file of the prompt or resource has opened, also while the request waits. */
  readonly use?: Entry['use']
  handler(context: ToolContext): unknown
  shape(returned: unknown): JsonObject
}

/**
 * @param steps the handler, and the function that turns its return value into the result
 * @throws McpError HANDLER_FAILED (-32603) with the error's text; any McpError that `shape` throws
 */
export const runHandler = (
  executor: Executor,
  exchange: Exchange,
  name: string,
  handler: HandlerSteps,
): MaybePromise<MethodResult> => run(runInRounds(executor, exchange, name, handler))

function* runInRounds(executor: Executor, exchange: Exchange, name: string, steps: HandlerSteps): Steps<MethodResult> {
  const known = collectAnswers(exchange, openRequestState(executor.seal, exchange))
  steps.use?.begin()
  try {
    const attempt = (answers: JsonObject) => runOnce(executor, exchange, name, { steps, answers })
    const outcome = yield* attempt(known)
    if (!isInputRequired(outcome) || exchange.ask === undefined) return outcome
    return yield* askInRounds(outcome, exchange.ask, attempt)
  } catch (error) {
    throw toPresentableError(executor, exchange, name, error)
  } finally {
    steps.use?.end()
  }
}

export interface HookedHandler<Value> {
  /** The outermost hook first. */
  readonly hooks: readonly Around[]
  readonly ctx: ToolContext
  /** The argument of the handler; a hook may replace it. */
  readonly value: Value
  /** The argument of a hook, without the caller and the context. */
  describe(value: Value): object
  handler(value: Value, ctx: ToolContext): unknown
}

/** Calls a handler within the hooks of its kind. @throws ToolFailure `cancelled` after the end of the request */
export function callHooked<Value>({ hooks, ctx, value, describe, handler }: HookedHandler<Value>): unknown {
  if (hooks.length === 0) return handler(value, ctx)
  return callWithin(hooks, value, {
    describe: each => ({ ...describe(each), caller: ctx.caller, ctx }),
    begin: (each, runs) =>
      beginHandler({ ctx, runs }, own => {
        if (CallContext.isOpen(ctx)) return handler(each, own)
        throw new ToolFailure('cancelled', 'the handler does not run: its request has ended')
      }),
  })
}

function* runOnce(
  executor: Executor,
  exchange: Exchange,
  name: string,
  { steps, answers }: { steps: HandlerSteps; answers: JsonObject },
): Steps<{ readonly result: JsonObject } | InputRequired> {
  const context = new CallContext(name, exchange, executor, answers)
  const findOpen = ({ questions }: CallContext): InputRequired | undefined => {
    const open = questions?.getIfOpen()
    return open && { kind: 'input_required', questions: open, exchange }
  }
  const limits = {
    name,
    timeoutMs: executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    onAbandoned: ignoreAbandoned,
  }
  const release = yield* wait(executor.admission.admitHandler(exchange))
  try {
    const start = () => runAttributedToTool(name, executor.reportUnhandledError, () => steps.handler(context))
    const returned = yield* wait(runWithDeadline(start, limits))
    const forgotten = yield* wait(context.questions?.findForgotten())
    if (forgotten !== undefined) throw forgotten
    return findOpen(context) ?? { result: cleanResult(steps.shape(returned), executor) }
  } catch (error) {
    // The error does not come from a question that nobody waits for.
    if (error instanceof NotAwaited || !context.questions?.isAwaited) throw error
    const asked = findOpen(context)
    if (asked === undefined || error instanceof McpError) throw error
    return asked
  } finally {
    context.close()
    release()
  }
}

/** Maximum bytes of JSON for one character. */
const WORST_GROWTH = 6

function cleanResult(result: JsonObject, { rules: { maxResultBytes: maxBytes } }: Executor): JsonObject {
  const copier = new JsonCopier({ maxBytes, tally: { stripped: 0 } })
  const copy = copier.copy(result) as JsonObject
  const isNear = copier.bytes * WORST_GROWTH > maxBytes
  if (isNear && Buffer.byteLength(JSON.stringify(copy)) > maxBytes)
    throw new TooLargeError(`larger than ${maxBytes} bytes`)
  return copy
}

interface HandlerFailure {
  readonly error: unknown
  readonly reason: string
  /** True for a deadline or a refused result: its stack tells nothing about the handler. */
  readonly isOurs: boolean
}

function logFailure(
  { errorLog }: Executor,
  exchange: Exchange,
  name: string,
  { error, reason, isOurs }: HandlerFailure,
): void {
  const { log, requestId } = exchange
  const fields = () => ({ name, requestId, reason, ...(!isOurs && errorLog.describeOrigin(log, error)) })
  const told = { text: 'handler failed', name, fields }
  // The client has cancelled the request, or has left.
  if (error instanceof ToolFailure && error.kind === 'cancelled') errorLog.logInfo(log, told)
  else if (isOurs) errorLog.log(log, 'warn', told)
  else errorLog.logThrown(log, error, told)
}

function toPresentableError(executor: Executor, exchange: Exchange, name: string, error: unknown): McpError {
  if (error instanceof McpError) return error
  const isOutput = error instanceof NotJsonError || error instanceof TooLargeError
  const toText = (withCauses: boolean) =>
    isOutput ? cleanLine(error.message) : executor.errorLog.toText(error, withCauses)
  const reason = toText(false)
  logFailure(executor, exchange, name, { error, reason, isOurs: isOutput || error instanceof ToolFailure })
  const isOfOurs = error instanceof ToolFailure || error instanceof NotAwaited
  const isShown = executor.rules.errorMessages === 'all' || isToolError(error) || isOfOurs
  const text = `${name}: ${isShown ? toText(explains(executor)) : `failed (ref ${exchange.requestId})`}`
  // The cause says why the handler was stopped.
  return new McpError('HANDLER_FAILED', text, error instanceof ToolFailure ? { cause: error } : {})
}
