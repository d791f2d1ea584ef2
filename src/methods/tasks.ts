// tasks/get, tasks/update and tasks/cancel; tasks/list and tasks/result of 2025-11-25.
// Extension io.modelcontextprotocol/tasks: tasks. Spec 2025-11-25: basic/utilities/tasks.
import type { Access } from '../auth/access.ts'
import { ToolFailure } from '../execution/tool-failure.ts'
import { assertAnswers } from '../input/answers.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { type ClientCapabilities, ListParams, TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { TaskParams, UpdateTaskParams } from '../protocol/schemas/methods.ts'
import type { Exchange } from '../request/exchange.ts'
import { createDrainingError } from '../request/inflight.ts'
import type { OutcomeFacts } from '../request/outcome.ts'
import { getSessionOwner, hasEnded, type Task } from '../state/task.ts'
import type { TaskPosition } from '../state/tasks.ts'
import { askClient, MARK_MS } from '../tasks/ask-client.ts'
import { unwrapOutcome } from '../tasks/create.ts'
import { createRelatedTaskMeta, describeTask, describeWithLog, findVisibleQuestions } from '../tasks/describe.ts'
import { hasTasks } from './discover.ts'
import type { Method, MethodResult, MethodTarget, Uses } from './method.ts'

const ACKNOWLEDGED: MethodResult = Object.freeze({ result: Object.freeze({ resultType: 'complete' }) })

/** The owner of a request's tasks: its caller's, else its session; undefined without both. */
export function getTaskOwner({ owner, session }: Exchange): string | undefined {
  return owner ?? (session && getSessionOwner(session.id))
}

export const supportsTasks = ({ extensions }: ClientCapabilities): boolean => isObject(extensions?.[TASKS_EXTENSION])

/** @throws McpError MISSING_CAPABILITY (-32021) if the client has to declare tasks per request */
export function assertSupportsTasks({ revision, capabilities }: Pick<Exchange, 'revision' | 'capabilities'>): void {
  if (!revision.tasks?.onRequest && !supportsTasks(capabilities)) throw createTasksRequiredError()
}

export const createTasksRequiredError = () =>
  new McpError('MISSING_CAPABILITY', TASKS_EXTENSION, {
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  })

/**
 * Finds the task that a request names.
 *
 * @throws McpError TASK_NOT_FOUND (-32602), also for another caller's; INSUFFICIENT_SCOPE (403)
 */
export async function findRequestedTask(
  exchange: Exchange,
  { tasks, access }: Uses<'tasks' | 'access'>,
): Promise<Task> {
  const task = await tasks.find((exchange.params as TaskParams).taskId, getTaskOwner(exchange))
  return assertMayRead(exchange, access, task)
}

/** @throws McpError TASK_NOT_FOUND, or INSUFFICIENT_SCOPE (403) */
function assertMayRead(exchange: Exchange, access: Access, task: Task | undefined): Task {
  if (task === undefined || !access.isTaskVisible(exchange, task))
    throw new McpError('TASK_NOT_FOUND', 'it is unknown, or its time to live has passed')
  access.assertMay(exchange.caller, { scopes: task.scopes, key: task.tool })
  return task
}

/**
 * Finds the task that a request changes. Answers let a tool continue, so they need the same rights
 * as a call.
 *
 * @throws McpError as `findRequestedTask`; FORBIDDEN_ORIGIN (403)
 */
async function findTaskToChange(
  exchange: Exchange,
  { catalog, ...runtime }: Uses<'tasks' | 'access' | 'catalog'>,
): Promise<Task> {
  const task = await findRequestedTask(exchange, runtime)
  // A tool that is not served any more has no annotations.
  const listed = catalog.tools.find(task.tool)?.listed ?? {}
  runtime.access.assertPageMay(exchange, { key: task.tool, listed })
  return task
}

const toDescribedResult = (task: Task, { capabilities }: Exchange): MethodResult => ({
  result: { resultType: 'complete', ...describeWithLog(task, capabilities) },
})

function toFacts({ outcome }: Task): OutcomeFacts | undefined {
  if (outcome === undefined) return undefined
  return { taskEnd: 'error' in outcome ? { reason: outcome.error.reason } : { kind: outcome.kind } }
}

const TARGET: MethodTarget = { kind: 'task', param: 'taskId' }

export const getTask: Method<'tasks' | 'access'> = {
  params: TaskParams,
  target: TARGET,
  isOffered: hasTasks,
  assertAllowed: assertSupportsTasks,
  async serve(exchange, runtime) {
    const task = await findRequestedTask(exchange, runtime)
    runtime.tasks.look(task, exchange.session?.id)
    return { ...toDescribedResult(task, exchange), facts: toFacts(task) }
  },
}

export const updateTask: Method<'tasks' | 'access' | 'catalog'> = {
  params: UpdateTaskParams,
  target: TARGET,
  isOffered: hasTasks,
  assertAllowed: assertSupportsTasks,
  async serve(exchange, runtime) {
    const task = await findTaskToChange(exchange, runtime)
    const { inputResponses } = exchange.params as UpdateTaskParams
    assertAnswers(Object.keys(task.questions), inputResponses)
    await runtime.tasks.answer(task, inputResponses)
    return ACKNOWLEDGED
  },
}

/** Refuses a task that has ended if the result is the task; otherwise acknowledges it as usual. */
export const cancelTask: Method<'tasks' | 'access' | 'catalog'> = {
  params: TaskParams,
  target: TARGET,
  isOffered: hasTasks,
  assertAllowed: assertSupportsTasks,
  async serve(exchange, runtime) {
    const task = await findTaskToChange(exchange, runtime)
    const cancelled = await runtime.tasks.cancel(task)
    if (!exchange.revision.tasks?.onRequest) return ACKNOWLEDGED
    if (cancelled !== undefined) return toDescribedResult(cancelled, exchange)
    // The status as the revision names it: a result with `isError: true` may count as failed.
    const now = describeTask(await findRequestedTask(exchange, runtime), exchange.capabilities)
    const { status } = exchange.revision.shapeResult('tasks/get', now)
    throw new McpError('TASK_ENDED', `it cannot be cancelled, since it is ${status}`)
  },
}

interface TaskCursor {
  readonly list: 'tasks'
  readonly owner: string
  readonly after: TaskPosition
}

/** Each task is read with its arguments and its result. */
export const MAX_TASKS_PER_PAGE = 100

export const listTasks: Method<'tasks' | 'access' | 'seal' | 'settings'> = {
  params: ListParams,
  isOffered: hasTasks,
  async serve(exchange, { tasks, access, seal, settings }) {
    const owner = getTaskOwner(exchange)
    if (owner === undefined) throw new McpError('INVALID_REQUEST', 'only a verified caller can list tasks')
    const { cursor } = exchange.params as ListParams
    const opened = cursor === undefined ? undefined : (seal.open('cursor', cursor) as TaskCursor | undefined)
    if (cursor !== undefined && (opened?.list !== 'tasks' || opened.owner !== owner))
      throw new McpError('INVALID_CURSOR', 'it does not belong to this list; start without a cursor')
    const mayBeShown = (task: Task) => access.mayReadTask(exchange, task)
    const size = Math.min(settings.pageSize, MAX_TASKS_PER_PAGE)
    const page = await tasks.list(owner, size + 1, opened?.after)
    const shown = page.slice(0, size)
    const last = page.length > shown.length ? shown.at(-1) : undefined
    const next = last && { list: 'tasks', owner, after: { id: last.id, createdAtMs: last.createdAtMs } }
    return {
      result: {
        tasks: shown.filter(mayBeShown).map(task => describeTask(task, exchange.capabilities)),
        nextCursor: next && seal.seal('cursor', next),
      },
    }
  },
}

/** Interval at which the server checks if the client still waits, ms. */
const CLIENT_CHECK_MS = 30_000

/**
 * Waits for the end of a task, and meanwhile asks the client the questions of its tool.
 * Spec 2025-11-25: basic/utilities/tasks, "Retrieving Task Results" and "Input Required Status".
 */
export const taskResult: Method<'tasks' | 'access'> = {
  params: TaskParams,
  target: TARGET,
  isOffered: hasTasks,
  async serve(exchange, runtime) {
    const task = await findRequestedTask(exchange, runtime)
    const ended = hasEnded(task) ? task : await waitForEnd(exchange, runtime, task)
    return { result: withRelatedTask(unwrapOutcome(ended.outcome!), ended.id) }
  },
}

async function waitForEnd(exchange: Exchange, runtime: Uses<'tasks' | 'access'>, first: Task): Promise<Task> {
  const { sink, cancellation, clientKey } = exchange
  const waiter = { hasLeft: () => sink?.isDisconnected === true, release: () => cancellation.cancel('client-left') }
  const leave = runtime.tasks.waitLimiter.acquire(getTaskOwner(exchange) ?? clientKey, waiter)
  if (leave === undefined)
    throw new McpError('RATE_LIMITED', 'too many requests wait for tasks; poll with tasks/get', { retryAfterS: 5 })
  try {
    let task = first
    const unanswered = new Set<string>()
    while (!hasEnded(task)) task = await waitForChange(exchange, runtime, { task, unanswered })
    return task
  } finally {
    leave()
  }
}

interface TaskWait {
  readonly task: Task
  /** Keys of questions that the client did not answer here; it may still answer in another way. */
  readonly unanswered: Set<string>
}

/** Returns the task after its next change, after an answer of its client, or after a while. */
async function waitForChange(
  exchange: Exchange,
  runtime: Uses<'tasks' | 'access'>,
  { task, unanswered }: TaskWait,
): Promise<Task> {
  const { ask, sink, session, cancellation, capabilities } = exchange
  const keys = Object.keys(findVisibleQuestions(task, capabilities).requests).filter(key => !unanswered.has(key))
  let withinMs = CLIENT_CHECK_MS
  if (ask !== undefined && sink !== undefined && session !== undefined && keys.length > 0) {
    const asking = { task, keys, session: session.id, over: 'result' as const }
    const answers = await askClient(runtime.tasks, asking, ask)
    if (answers === 'unanswered') for (const key of keys) unanswered.add(key)
    // Its stream may break off: then the client is asked here.
    else if (answers === 'taken') withinMs = MARK_MS
    else await runtime.tasks.answer(task, answers)
  }
  const isLater = ({ version }: Task) => version !== task.version
  const changed = await runtime.tasks.waitUntil(task.id, isLater, { cancellation, withinMs })
  assertMayWait(exchange)
  if (changed !== undefined) return assertMayRead(exchange, runtime.access, changed)
  if (runtime.tasks.isStopping) throw createDrainingError()
  if (cancellation.reason !== undefined || sink?.isDisconnected) throw createNobodyWaitsError()
  return findRequestedTask(exchange, runtime)
}

/** @throws McpError UNAUTHENTICATED (401) if the caller's token has expired meanwhile */
function assertMayWait({ caller }: Exchange): void {
  const { expiresAtMs = Number.POSITIVE_INFINITY } = caller ?? {}
  if (expiresAtMs <= Date.now()) throw new McpError('UNAUTHENTICATED', 'the token has expired')
}

const createNobodyWaitsError = () =>
  new McpError('HANDLER_FAILED', 'the request was cancelled; the task goes on', {
    cause: new ToolFailure('cancelled', 'The request was cancelled'),
  })

const withRelatedTask = (result: JsonObject, taskId: string): JsonObject => ({
  ...result,
  _meta: { ...(result['_meta'] as JsonObject | undefined), ...createRelatedTaskMeta(taskId) },
})
