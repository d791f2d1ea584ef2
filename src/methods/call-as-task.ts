// Decides if a tool call becomes a task, runs it as one, and builds the answer to its client.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Creation".
// Spec 2025-11-25: basic/utilities/tasks.

import { Call } from '../execution/call.ts'
import { executeInRounds, type Round } from '../execution/execute.ts'
import { takeAnswers } from '../input/request-state.ts'
import { McpError } from '../protocol/errors.ts'
import { TaskMetadata } from '../protocol/schemas/methods.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { assertParams } from '../request/params.ts'
import { run, wait } from '../request/steps.ts'
import type { Task } from '../state/task.ts'
import { type NewTask, unwrapOutcome } from '../tasks/create.ts'
import { defer } from '../tasks/defer.ts'
import { createRelatedTaskMeta, toTaskHandle } from '../tasks/describe.ts'
import type { TaskService } from '../tasks/tasks.ts'
import type { MethodResult, Uses } from './method.ts'
import { createTasksRequiredError, getTaskOwner, supportsTasks } from './tasks.ts'

/**
 * - `inline`: the call ends with its request
 * - `requested`: the client asked for a task
 * - `offered`: the client supports tasks and gets one if the call takes long
 * - `asText`: the client does not support tasks and gets the task's id as text if the call takes long
 */
export type TaskMode = 'inline' | 'requested' | 'offered' | 'asText'

/**
 * @throws McpError METHOD_NOT_FOUND (-32601) or MISSING_CAPABILITY (-32021) if the client asks for a
 *   task that the tool forbids, or the tool requires a task that the client does not support
 */
export function chooseTaskMode(exchange: Exchange, { name, task }: Tool, { tasks }: Uses<'tasks'>): TaskMode {
  const { revision, params, capabilities } = exchange
  if (revision.tasks?.onRequest) {
    const isAsked = params['task'] !== undefined
    if (isAsked && task === 'forbidden') throw new McpError('METHOD_NOT_FOUND', `${name} cannot be called as a task`)
    if (isAsked) return 'requested'
  } else if (task !== 'forbidden' && revision.tasks !== undefined && supportsTasks(capabilities)) return 'offered'
  if (task !== 'required') return 'inline'
  if (tasks.rules.describeAsText !== undefined) return 'asText'
  if (revision.tasks?.onRequest) throw new McpError('METHOD_NOT_FOUND', `${name} can only be called as a task`)
  throw createTasksRequiredError()
}

interface TaskCall {
  readonly tool: Tool
  readonly mode: Exclude<TaskMode, 'inline'>
}

/** @throws McpError as the call does; RATE_LIMITED, BUSY */
export function callAsTask(
  exchange: Exchange,
  runtime: Uses<'tasks' | 'executor' | 'hooks'>,
  { tool, mode }: TaskCall,
): MaybePromise<MethodResult> {
  if (mode === 'requested') return startRequestedTask(exchange, runtime, tool)
  return run(executeInRounds(new Call(runtime.executor, tool, exchange), createTaskRound(runtime, mode)))
}

// Questions of the first turn are asked before there is a task: by a request to the client while
// this one waits, if the revision allows that.
function createTaskRound(runtime: Uses<'tasks' | 'executor' | 'hooks'>, mode: TaskCall['mode']): Round<MethodResult> {
  const { tasks, executor, hooks } = runtime
  return function* ({ tool, exchange }, known, rounds) {
    const answers = known ?? (yield* wait(takeAnswers(executor, tool, exchange)))
    if (exchange.prefersAsync)
      return createTaskResult(yield* wait(openHandedOut(exchange, runtime, { tool, answers })), mode, tasks)
    const { owner } = exchange
    const absent = hooks.snapshotForTask(tool)
    const deferred = yield* wait(defer(tasks, { tool, exchange, owner, absent, answers, rounds }))
    if ('asked' in deferred) return { kind: 'input_required', questions: deferred.asked, exchange }
    if ('task' in deferred) return createTaskResult(deferred.task, mode, tasks)
    const { outcome } = deferred
    return { kind: 'kind' in outcome ? outcome.kind : 'ok', result: unwrapOutcome(outcome) }
  }
}

async function startRequestedTask(
  exchange: Exchange,
  runtime: Uses<'tasks' | 'hooks'>,
  tool: Tool,
): Promise<MethodResult> {
  const { params } = exchange
  assertParams(TaskMetadata, params['task'], 'task ')
  const { ttl } = params['task'] as TaskMetadata
  const opening = { tool, answers: {}, ttlMs: ttl ?? undefined }
  return createTaskResult(await openHandedOut(exchange, runtime, opening), 'requested', runtime.tasks)
}

/** Opens a task that its client learns of at once. */
function openHandedOut(
  exchange: Exchange,
  { tasks, hooks }: Uses<'tasks' | 'hooks'>,
  opening: Pick<NewTask, 'tool' | 'answers' | 'ttlMs'>,
): Promise<Task> {
  const owner = getTaskOwner(exchange)
  const absent = hooks.snapshotForTask(opening.tool)
  return tasks.open({ ...opening, exchange, owner, absent, isHandedOut: true })
}

function createTaskResult(task: Task, mode: TaskCall['mode'], { rules }: TaskService): MethodResult {
  if (mode === 'asText') {
    const content = [{ type: 'text', text: rules.describeAsText!(task) }]
    return { kind: 'task', result: { resultType: 'complete', content } }
  }
  const handle = { resultType: 'task', ...toTaskHandle(task) }
  // Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata": every message has it, except
  // those of tasks/get, tasks/list and tasks/cancel.
  return { kind: 'task', result: mode === 'requested' ? { ...handle, _meta: createRelatedTaskMeta(task.id) } : handle }
}
