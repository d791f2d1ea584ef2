// Runs the handler of a prompt or a resource: with a deadline, with questions to the client, its errors made presentable.
import type { Exchange } from '../exchange.ts'
import { CallContext } from '../execution/context.ts'
import { errorText, isToolError } from '../execution/error-text.ts'
import type { Executor } from '../execution/execute.ts'
import { ToolFailure } from '../execution/failure.ts'
import { runAttributed } from '../execution/late-faults.ts'
import { run } from '../execution/run.ts'
import { answersOf, openState, sealState } from '../input/request-state.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean.ts'
import { JsonCopier, NotJson, TooLarge } from '../registry/plain-json.ts'
import type { HandlerContext } from '../registry/prompt.ts'
import { inputRequired, type Served } from './method.ts'

const ignoreStray = () => {}

/**
 * @param handler what to run
 * @param shape turns what it returned into the result
 * @throws McpError HANDLER_FAILED (-32603) with the error's text; what `shape` throws as McpError
 */
export async function askHandler(
  executor: Executor,
  exchange: Exchange,
  name: string,
  steps: { handler(context: HandlerContext): unknown; shape(returned: unknown): JsonObject },
): Promise<Served> {
  const state = openState(executor.seal, exchange)
  const context = new CallContext(name, exchange, executor.mask, answersOf(exchange, state))
  const failed = async (work: () => unknown) => {
    try {
      return { returned: await work() }
    } catch (error) {
      return { error }
    }
  }
  const ended = await failed(() =>
    run(() => runAttributed(name, executor.reportLateFault, () => steps.handler(context)), {
      name,
      timeoutMs: executor.rules.toolTimeoutMs,
      cancellation: exchange.cancellation,
      onStray: ignoreStray,
    }),
  )
  const { questions } = context
  if (questions?.refusal !== undefined) throw questions.refusal
  if (questions?.hasOpen) {
    return inputRequired({
      kind: 'input_required',
      questions,
      requestState: sealState(executor.seal, exchange, questions.used),
    })
  }
  if ('error' in ended) throw presentable(executor, exchange, name, ended.error)
  const shaped = await failed(() => clean(steps.shape(ended.returned), executor))
  if ('error' in shaped) throw presentable(executor, exchange, name, shaped.error)
  return { result: shaped.returned as JsonObject }
}

function clean(result: JsonObject, { rules }: Executor): unknown {
  return new JsonCopier({ maxBytes: rules.maxResultBytes, tally: { stripped: 0 } }).copy(result)
}

function presentable(executor: Executor, exchange: Exchange, name: string, error: unknown): McpError {
  if (error instanceof McpError) return error
  const reason =
    error instanceof NotJson || error instanceof TooLarge ? cleanText(error.message) : errorText(error, executor.mask)
  exchange.log.warn({ name, requestId: exchange.requestId, reason }, 'handler failed')
  const isShown = executor.rules.errorMessages === 'all' || isToolError(error) || error instanceof ToolFailure
  return new McpError('HANDLER_FAILED', `${name}: ${isShown ? reason : `failed (ref ${exchange.requestId})`}`)
}
