// Runs the handler of a prompt or a resource: with a deadline, with questions to the client, its errors made presentable.
import type { Exchange } from '../exchange.ts'
import { CallContext } from '../execution/context.ts'
import { errorText, isToolError } from '../execution/error-text.ts'
import type { Executor } from '../execution/execute.ts'
import { ToolFailure } from '../execution/failure.ts'
import { runAttributed } from '../execution/late-faults.ts'
import { run } from '../execution/run.ts'
import { Questions } from '../input/questions.ts'
import { answersOf, openState } from '../input/request-state.ts'
import { inRounds } from '../input/rounds.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean.ts'
import { JsonCopier, NotJson, TooLarge } from '../registry/plain-json.ts'
import type { HandlerContext } from '../registry/prompt.ts'
import { inputRequired, type Served } from './method.ts'

const ignoreStray = () => {}

interface Steps {
  handler(context: HandlerContext): unknown
  shape(returned: unknown): JsonObject
}

/**
 * @param steps what to run, and what turns what it returned into the result
 * @throws McpError HANDLER_FAILED (-32603) with the error's text; what `shape` throws as McpError
 */
export async function askHandler(executor: Executor, exchange: Exchange, name: string, steps: Steps): Promise<Served> {
  const known = answersOf(exchange, openState(executor.seal, exchange))
  try {
    const ended = await inRounds(exchange.ask, (answers = known) =>
      attempt(executor, exchange, name, { steps, answers }),
    )
    return ended instanceof Questions ? inputRequired(executor.seal, exchange, ended) : { result: ended }
  } catch (error) {
    throw presentable(executor, exchange, name, error)
  }
}

async function attempt(
  executor: Executor,
  exchange: Exchange,
  name: string,
  { steps, answers }: { steps: Steps; answers: JsonObject },
): Promise<JsonObject | Questions> {
  const context = new CallContext(name, exchange, executor.mask, answers)
  const limits = {
    name,
    timeoutMs: executor.rules.toolTimeoutMs,
    cancellation: exchange.cancellation,
    onStray: ignoreStray,
  }
  const release = await executor.admission.admitHandler(exchange)
  try {
    const returned = await run(
      () => runAttributed(name, executor.reportLateFault, () => steps.handler(context)),
      limits,
    )
    return context.questions?.whenOpen() ?? clean(steps.shape(returned), executor)
  } catch (error) {
    const questions = context.questions?.whenOpen()
    if (questions === undefined || error instanceof McpError) throw error
    return questions
  } finally {
    release(exchange)
  }
}

/** Bytes of JSON that one character may take. */
const WORST_GROWTH = 6

function clean(result: JsonObject, { rules: { maxResultBytes: maxBytes } }: Executor): JsonObject {
  const copier = new JsonCopier({ maxBytes, tally: { stripped: 0 } })
  const copy = copier.copy(result) as JsonObject
  const isNear = copier.bytes * WORST_GROWTH > maxBytes
  if (isNear && Buffer.byteLength(JSON.stringify(copy)) > maxBytes) throw new TooLarge(`larger than ${maxBytes} bytes`)
  return copy
}

interface Failed {
  readonly error: unknown
  readonly reason: string
  /** A deadline, or what a result is refused for: its place says nothing of the handler. */
  readonly isOurs: boolean
}

function tellFailed({ faults }: Executor, exchange: Exchange, name: string, { error, reason, isOurs }: Failed): void {
  const { log, requestId } = exchange
  const fields = () => ({ name, requestId, reason, ...(!isOurs && faults.originOf(log, error)) })
  const told = { text: 'handler failed', name, fields }
  // Its client has ended it, or left.
  if (error instanceof ToolFailure && error.kind === 'cancelled') faults.note(log, told)
  else faults.threw(log, error, told)
}

function presentable(executor: Executor, exchange: Exchange, name: string, error: unknown): McpError {
  if (error instanceof McpError) return error
  const isOutput = error instanceof NotJson || error instanceof TooLarge
  const reason = isOutput ? cleanText(error.message) : errorText(error, executor.mask)
  tellFailed(executor, exchange, name, { error, reason, isOurs: isOutput || error instanceof ToolFailure })
  const isShown = executor.rules.errorMessages === 'all' || isToolError(error) || error instanceof ToolFailure
  const text = `${name}: ${isShown ? reason : `failed (ref ${exchange.requestId})`}`
  // Why it was stopped, where it was.
  return new McpError('HANDLER_FAILED', text, error instanceof ToolFailure ? { cause: error } : {})
}
