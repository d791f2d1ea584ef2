// tasks/get, tasks/update and tasks/cancel, and tasks/list of 2025-11-25.
// Extension io.modelcontextprotocol/tasks: tasks. Spec 2025-11-25: basic/utilities/tasks.
import { ownerOf } from '../access/identity.ts'
import type { Exchange } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import { type ClientCapabilities, ListParams, TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { TaskParams, UpdateTaskParams } from '../protocol/schemas/methods.ts'
import type { TaskPosition } from '../state/tasks.ts'
import { sessionOwner, type Task } from '../task.ts'
import { describeTask } from '../tasks/describe.ts'
import type { Method, Served, Services } from './method.ts'

const ACKNOWLEDGED: Served = Object.freeze({ result: Object.freeze({ resultType: 'complete' }) })

/** Where nobody is verified, a session is who owns what is asked for in it; where there is none, whoever knows the id. */
export function taskOwnerOf({ caller, session }: Exchange): string | undefined {
  return ownerOf(caller) ?? (session && sessionOwner(session.id))
}

export const knowsTasks = ({ extensions }: ClientCapabilities): boolean => isObject(extensions?.[TASKS_EXTENSION])

/** @throws McpError MISSING_CAPABILITY (-32021): in revisions where clients declare it with each request */
export function assertKnowsTasks({ revision, capabilities }: Pick<Exchange, 'revision' | 'capabilities'>): void {
  if (!revision.tasks?.onRequest && !knowsTasks(capabilities)) throw unknowing()
}

export const unknowing = () =>
  new McpError('MISSING_CAPABILITY', TASKS_EXTENSION, {
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  })

/**
 * The task that a request names.
 *
 * @throws McpError TASK_NOT_FOUND (-32602), the same where it is somebody else's; INSUFFICIENT_SCOPE (403)
 */
export async function taskOf(exchange: Exchange, { tasks, access }: Services): Promise<Task> {
  const task = await tasks.find((exchange.params as TaskParams).taskId, taskOwnerOf(exchange))
  if (task === undefined) throw new McpError('TASK_NOT_FOUND', 'it is unknown, or its time to live has passed')
  access.assertMay(exchange.caller, { scopes: task.scopes, key: task.tool })
  return task
}

const described = (task: Task, { capabilities }: Exchange): Served => ({
  result: { resultType: 'complete', ...describeTask(task, capabilities) },
})

export const getTask: Method = {
  params: TaskParams,
  assertAllowed: assertKnowsTasks,
  serve: async (exchange, services) => described(await taskOf(exchange, services), exchange),
}

export const updateTask: Method = {
  params: UpdateTaskParams,
  assertAllowed: assertKnowsTasks,
  async serve(exchange, services) {
    const task = await taskOf(exchange, services)
    await services.tasks.answer(task, (exchange.params as UpdateTaskParams).inputResponses)
    return ACKNOWLEDGED
  },
}

/** One that has ended is refused where the answer is the task, and acknowledged like any other where it is not. */
export const cancelTask: Method = {
  params: TaskParams,
  assertAllowed: assertKnowsTasks,
  async serve(exchange, services) {
    const task = await taskOf(exchange, services)
    const cancelled = await services.tasks.cancel(task)
    if (!exchange.revision.tasks?.onRequest) return ACKNOWLEDGED
    if (cancelled !== undefined) return described(cancelled, exchange)
    // In the words of the revision, where a result may be a failure.
    const now = describeTask(await taskOf(exchange, services), exchange.capabilities)
    const { status } = exchange.revision.shape('tasks/get', now)
    throw new McpError('TASK_ENDED', `it cannot be cancelled, since it is ${status}`)
  },
}

interface Cursor {
  readonly list: 'tasks'
  readonly owner: string
  readonly after: TaskPosition
}

/** Each is read whole, with its arguments and its result. */
export const MAX_TASKS_OF_PAGE = 100

export const listTasks: Method = {
  params: ListParams,
  async serve(exchange, { tasks, access, seal, rules }) {
    const owner = taskOwnerOf(exchange)
    if (owner === undefined) throw new McpError('INVALID_REQUEST', 'tasks are listed for those who can be told apart')
    const { cursor } = exchange.params as ListParams
    const opened = cursor === undefined ? undefined : (seal.open('cursor', cursor) as Cursor | undefined)
    if (cursor !== undefined && (opened?.list !== 'tasks' || opened.owner !== owner))
      throw new McpError('INVALID_CURSOR', 'it is none of this list; start without one')
    const mayBeShown = ({ scopes }: Task) => access.may(exchange.caller, scopes)
    const size = Math.min(rules.pageSize, MAX_TASKS_OF_PAGE)
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
