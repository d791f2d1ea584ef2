// tasks/result of 2025-11-25: waits for the end of a task, and meanwhile asks what its tool wants to know.
// Spec 2025-11-25: basic/utilities/tasks, "Retrieving Task Results" and "Input Required Status".
import type { Ask, Exchange } from '../exchange.ts'
import { ToolFailure } from '../execution/failure.ts'
import { drainingError } from '../inflight.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { TaskParams } from '../protocol/schemas/methods.ts'
import { hasEnded, type Task } from '../task.ts'
import { findAskable } from '../tasks/askable.ts'
import { relatedTo } from '../tasks/describe.ts'
import { resultOf } from '../tasks/outcome.ts'
import type { Method, Services } from './method.ts'
import { taskOf, taskOwnerOf } from './tasks.ts'

/** How often it is looked whether somebody still waits, ms. */
const LOOK_MS = 30_000

export const taskResult: Method = {
  params: TaskParams,
  async serve(exchange, services) {
    const task = await taskOf(exchange, services)
    const ended = hasEnded(task) ? task : await endOf(exchange, services, task)
    return { result: withTask(resultOf(ended.outcome!), ended.id) }
  },
}

async function endOf(exchange: Exchange, services: Services, first: Task): Promise<Task> {
  const { sink, cancellation, clientKey } = exchange
  const waiter = { isLeft: () => sink?.isLeft === true, letGo: () => cancellation.cancel('client-left') }
  const leave = services.tasks.waits.enter(taskOwnerOf(exchange) ?? clientKey, waiter)
  if (leave === undefined)
    throw new McpError('RATE_LIMITED', 'too many requests wait for tasks; look with tasks/get', { retryAfterS: 5 })
  try {
    let task = first
    const unanswered = new Set<string>()
    while (!hasEnded(task)) task = await goOn(exchange, services, { task, unanswered })
    return task
  } finally {
    leave()
  }
}

interface Waiting {
  readonly task: Task
  /** Questions that the client has left unanswered here: they wait for another way. */
  readonly unanswered: Set<string>
}

/** What the task is at its next change, when its client has answered, or after a while. */
async function goOn(exchange: Exchange, services: Services, { task, unanswered }: Waiting): Promise<Task> {
  const { ask, sink, cancellation, capabilities } = exchange
  const keys = Object.keys(findAskable(task, capabilities).requests).filter(key => !unanswered.has(key))
  if (ask !== undefined && sink !== undefined && keys.length > 0) {
    const answers = await askFor(ask, services, { task, keys })
    if (answers === undefined) for (const key of keys) unanswered.add(key)
    else await services.tasks.answer(task, answers)
  }
  const isLater = ({ version }: Task) => version !== task.version
  const changed = await services.tasks.until(task.id, isLater, { cancellation, withinMs: LOOK_MS })
  assertMayWait(exchange)
  if (changed !== undefined) return changed
  if (services.tasks.isStopping) throw drainingError()
  if (cancellation.reason !== undefined || sink?.isLeft) throw left()
  return taskOf(exchange, services)
}

/** @throws McpError UNAUTHENTICATED (401) where the token of who waits has ended meanwhile */
function assertMayWait({ caller }: Exchange): void {
  const { expiresAtMs = Number.POSITIVE_INFINITY } = caller ?? {}
  if (expiresAtMs <= Date.now()) throw new McpError('UNAUTHENTICATED', 'the token has ended')
}

/** @returns undefined where the client did not answer, or the questions were answered in another way */
async function askFor(
  ask: Ask,
  { tasks }: Services,
  { task, keys }: { task: Task; keys: readonly string[] },
): Promise<JsonObject | undefined> {
  const controller = new AbortController()
  const stop = tasks.watch(task.id, now => {
    if (now === undefined || keys.some(key => !Object.hasOwn(now.questions, key))) controller.abort()
  })
  const questions = keys.map(key => {
    const { method, params } = task.questions[key]!.request
    return [key, { method, params: { ...params, _meta: relatedTo(task.id) } }] as const
  })
  try {
    return await ask(Object.fromEntries(questions), controller.signal)
  } catch (error) {
    if (error instanceof ToolFailure) return undefined
    throw error
  } finally {
    stop()
  }
}

const left = () =>
  new McpError('HANDLER_FAILED', 'nobody waits any more, and the task goes on', {
    cause: new ToolFailure('cancelled', 'Nobody waits any more'),
  })

const withTask = (result: JsonObject, taskId: string): JsonObject => ({
  ...result,
  _meta: { ...(result['_meta'] as JsonObject | undefined), ...relatedTo(taskId) },
})
