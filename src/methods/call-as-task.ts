// A call that may run for longer than its request: whether it does, and what its client is told.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Creation". Spec 2025-11-25: basic/utilities/tasks.
import { ownerOf } from '../access/identity.ts'
import type { Exchange } from '../exchange.ts'
import { bringAnswers } from '../execution/answers.ts'
import { invalidParams } from '../execution/execute.ts'
import { failureResult, ToolFailure } from '../execution/failure.ts'
import { validate } from '../execution/validate.ts'
import { MAX_ROUNDS, TooManyRounds } from '../input/rounds.ts'
import { assertParams } from '../params.ts'
import { McpError } from '../protocol/errors.ts'
import { TaskMetadata } from '../protocol/schemas/methods.ts'
import type { Tool } from '../registry/tool.ts'
import type { Task } from '../task.ts'
import { type Deferred, defer } from '../tasks/defer.ts'
import { handleOf, relatedTo } from '../tasks/describe.ts'
import { toldOf } from '../tasks/fallback-tools.ts'
import { resultOf } from '../tasks/outcome.ts'
import { inputRequired, type Served, type Services } from './method.ts'
import { knowsTasks, taskOwnerOf, unknowing } from './tasks.ts'

/**
 * - `within`: the call ends with its request
 * - `asked`: the client wants a task, whatever it may be good for
 * - `offered`: it gets one where the call lasts
 * - `told`: the same, in words, since it knows no tasks
 */
export type Manner = 'within' | 'asked' | 'offered' | 'told'

/** @throws McpError METHOD_NOT_FOUND (-32601) or MISSING_CAPABILITY (-32021) where tool and client do not agree */
export function mannerOf(exchange: Exchange, { name, task }: Tool, { tasks }: Services): Manner {
  const { revision, params, capabilities } = exchange
  if (revision.tasks?.onRequest) {
    const isAsked = params['task'] !== undefined
    if (isAsked && task === 'forbidden') throw new McpError('METHOD_NOT_FOUND', `${name} cannot be called as a task`)
    if (isAsked) return 'asked'
  } else if (task !== 'forbidden' && revision.tasks !== undefined && knowsTasks(capabilities)) return 'offered'
  if (task !== 'required') return 'within'
  if (tasks.rules.hasFallback) return 'told'
  if (revision.tasks?.onRequest) throw new McpError('METHOD_NOT_FOUND', `${name} can only be called as a task`)
  throw unknowing()
}

interface Called {
  readonly tool: Tool
  readonly manner: Exclude<Manner, 'within'>
}

export async function callAsTask(exchange: Exchange, services: Services, { tool, manner }: Called): Promise<Served> {
  const { executor } = services
  if (manner === 'asked') return callAsked(exchange, services, tool)
  const fault = faultOf(exchange, tool)
  if (fault !== undefined && exchange.revision.refusesInvalidArguments) throw invalidParams(fault)
  if (fault !== undefined) return { kind: fault.kind, result: failureResult(fault.message) }
  const deferred = await deferInRounds(exchange, services, tool)
  if ('asked' in deferred) return inputRequired(executor.seal, exchange, deferred.asked)
  if ('task' in deferred) return handedOut(deferred.task, manner)
  const { outcome } = deferred
  return { kind: 'kind' in outcome ? outcome.kind : 'ok', result: resultOf(outcome) }
}

// What is asked first is asked before there is a task: while the request waits, where its client can be asked then.
async function deferInRounds(exchange: Exchange, { tasks, executor }: Services, tool: Tool): Promise<Deferred> {
  const owner = ownerOf(exchange.caller)
  let answers = await bringAnswers(executor, tool, exchange)
  for (let round = 0; ; round++) {
    const deferred = await defer(tasks, { tool, exchange, owner, answers, rounds: round })
    if (!('asked' in deferred) || exchange.ask === undefined) return deferred
    if (round === MAX_ROUNDS)
      return failed(new ToolFailure('tool_error', `${tool.name} ${new TooManyRounds().message}`))
    const { used, open } = deferred.asked
    try {
      answers = { ...used, ...(await exchange.ask(open)) }
    } catch (error) {
      if (error instanceof ToolFailure) return failed(error)
      throw error
    }
  }
}

const failed = ({ kind, message }: ToolFailure): Deferred => ({ outcome: { kind, result: failureResult(message) } })

async function callAsked(exchange: Exchange, { tasks }: Services, tool: Tool): Promise<Served> {
  const { params } = exchange
  assertParams(TaskMetadata, params['task'], 'task ')
  const { ttl } = params['task'] as TaskMetadata
  const owner = taskOwnerOf(exchange)
  const task = await tasks.open({ tool, exchange, owner, answers: {}, isHandedOut: true, ttlMs: ttl ?? undefined })
  return handedOut(task, 'asked')
}

function handedOut(task: Task, manner: Called['manner']): Served {
  if (manner === 'told') return { kind: 'task', result: toldOf(task) }
  const handle = { resultType: 'task', ...handleOf(task) }
  // Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata": in all but tasks/get, tasks/list and tasks/cancel.
  return { kind: 'task', result: manner === 'asked' ? { ...handle, _meta: relatedTo(task.id) } : handle }
}

// Told at once: what cannot be run need not be waited for.
function faultOf({ params }: Exchange, tool: Tool): ToolFailure | undefined {
  try {
    validate(tool, params['arguments'] ?? {})
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
  return undefined
}
