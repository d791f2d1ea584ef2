// Decides if a tool call becomes a task, runs it as one, and builds the answer to its client.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Creation".
// Spec 2025-11-25: basic/utilities/tasks.

import { getOwnArguments } from '../execution/arguments.ts'
import { invalidParams } from '../execution/call-failure.ts'
import { failureResult, ToolFailure, validate } from '../execution/tool-failure.ts'
import { takeAnswers } from '../input/request-state.ts'
import { MAX_ROUNDS, TooManyRoundsError } from '../input/rounds.ts'
import { McpError } from '../protocol/errors.ts'
import { TaskMetadata } from '../protocol/schemas/methods.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import { assertParams } from '../request/params.ts'
import type { Task } from '../state/task.ts'
import { type NewTask, unwrapOutcome } from '../tasks/create.ts'
import { type DeferResult, defer } from '../tasks/defer.ts'
import { createRelatedTaskMeta, toTaskHandle } from '../tasks/describe.ts'
import { toTaskNotice } from '../tasks/fallback-tools.ts'
import type { MethodResult, Uses } from './method.ts'
import { createTasksRequiredError, getTaskOwner, supportsTasks } from './tasks.ts'

/**
 * - `within`: the call ends with its request
 * - `asked`: the client asked for a task
 * - `offered`: the client supports tasks and gets one if the call takes long
 * - `told`: the client does not support tasks and gets the task's id as text if the call takes long
 */
export type TaskMode = 'within' | 'asked' | 'offered' | 'told'

/**
 * @throws McpError METHOD_NOT_FOUND (-32601) or MISSING_CAPABILITY (-32021) if the tool forbids
 *   what the client asks for, or requires what it does not support
 */
export function chooseTaskMode(exchange: Exchange, { name, task }: Tool, { tasks }: Uses<'tasks'>): TaskMode {
  const { revision, params, capabilities } = exchange
  if (revision.tasks?.onRequest) {
    const isAsked = params['task'] !== undefined
    if (isAsked && task === 'forbidden') throw new McpError('METHOD_NOT_FOUND', `${name} cannot be called as a task`)
    if (isAsked) return 'asked'
  } else if (task !== 'forbidden' && revision.tasks !== undefined && supportsTasks(capabilities)) return 'offered'
  if (task !== 'required') return 'within'
  if (tasks.rules.hasFallback) return 'told'
  if (revision.tasks?.onRequest) throw new McpError('METHOD_NOT_FOUND', `${name} can only be called as a task`)
  throw createTasksRequiredError()
}

interface TaskCall {
  readonly tool: Tool
  readonly mode: Exclude<TaskMode, 'within'>
}

export async function callAsTask(
  exchange: Exchange,
  runtime: Uses<'tasks' | 'executor' | 'hooks'>,
  { tool, mode }: TaskCall,
): Promise<MethodResult> {
  if (mode === 'asked') return startRequestedTask(exchange, runtime, tool)
  const fault = findArgumentFailure(exchange, tool)
  if (fault !== undefined && exchange.revision.refusesInvalidArguments) throw invalidParams(fault)
  if (fault !== undefined) return { kind: fault.kind, result: failureResult(fault.message), facts: fault.facts }
  if (exchange.prefersAsync) {
    const answers = await takeAnswers(runtime.executor, tool, exchange)
    return createTaskResult(await openHandedOut(exchange, runtime, { tool, answers }), mode)
  }
  const deferred = await deferInRounds(exchange, runtime, tool)
  if ('asked' in deferred) return { kind: 'input_required', questions: deferred.asked, exchange }
  if ('task' in deferred) return createTaskResult(deferred.task, mode)
  const { outcome } = deferred
  return { kind: 'kind' in outcome ? outcome.kind : 'ok', result: unwrapOutcome(outcome) }
}

// Questions of the first turn are asked before there is a task: by a request to the client while
// this one waits, if the revision allows that.
async function deferInRounds(
  exchange: Exchange,
  { tasks, executor, hooks }: Uses<'tasks' | 'executor' | 'hooks'>,
  tool: Tool,
): Promise<DeferResult> {
  const { owner } = exchange
  const absent = hooks.describeAbsent(tool)
  let answers = await takeAnswers(executor, tool, exchange)
  for (let round = 0; ; round++) {
    const deferred = await defer(tasks, { tool, exchange, owner, absent, answers, rounds: round })
    if (!('asked' in deferred) || exchange.ask === undefined) return deferred
    if (round === MAX_ROUNDS)
      return toDeferredFailure(new ToolFailure('tool_error', `${tool.name} ${new TooManyRoundsError().message}`))
    const { used, open } = deferred.asked
    try {
      answers = { ...used, ...(await exchange.ask(open)) }
    } catch (error) {
      if (error instanceof ToolFailure) return toDeferredFailure(error)
      throw error
    }
  }
}

const toDeferredFailure = ({ kind, message }: ToolFailure): DeferResult => ({
  outcome: { kind, result: failureResult(message) },
})

async function startRequestedTask(
  exchange: Exchange,
  runtime: Uses<'tasks' | 'hooks'>,
  tool: Tool,
): Promise<MethodResult> {
  const { params } = exchange
  assertParams(TaskMetadata, params['task'], 'task ')
  const { ttl } = params['task'] as TaskMetadata
  const opening = { tool, answers: {}, ttlMs: ttl ?? undefined }
  return createTaskResult(await openHandedOut(exchange, runtime, opening), 'asked')
}

/** A task that its client learns of at once. */
function openHandedOut(
  exchange: Exchange,
  { tasks, hooks }: Uses<'tasks' | 'hooks'>,
  opening: Pick<NewTask, 'tool' | 'answers' | 'ttlMs'>,
): Promise<Task> {
  const owner = getTaskOwner(exchange)
  const absent = hooks.describeAbsent(opening.tool)
  return tasks.open({ ...opening, exchange, owner, absent, isHandedOut: true })
}

function createTaskResult(task: Task, mode: TaskCall['mode']): MethodResult {
  if (mode === 'told') return { kind: 'task', result: toTaskNotice(task) }
  const handle = { resultType: 'task', ...toTaskHandle(task) }
  // Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata": every message has it, except
  // those of tasks/get, tasks/list and tasks/cancel.
  return { kind: 'task', result: mode === 'asked' ? { ...handle, _meta: createRelatedTaskMeta(task.id) } : handle }
}

// Checked before the task is created, so that invalid arguments are refused at once.
function findArgumentFailure(exchange: Exchange, tool: Tool): ToolFailure | undefined {
  try {
    validate(tool, getOwnArguments(tool, exchange))
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
  return undefined
}
