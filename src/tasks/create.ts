// Builds the records of a task: from a call, to a queue entry, and back to an exchange for its run.
import { randomBytes } from 'node:crypto'
import { ToolFailure } from '../execution/tool-failure.ts'
import { Refused } from '../input/questions.ts'
import { findTraceparent, withTraceId } from '../observability/trace-context.ts'
import { unsupportedVersion } from '../protocol/classify.ts'
import { McpError } from '../protocol/errors.ts'
import { countJsonBytes } from '../protocol/json-size.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { findRevision } from '../protocol/revisions/index.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import type { AbsentTool, Job, Task, TaskAnswer, TaskOutcome } from '../state/task.ts'
import type { QueueEntry } from '../state/task-queue.ts'
import { MIN_TASK_SIZE } from '../state/tasks.ts'

export const toTaskAnswer = (response: unknown): TaskAnswer =>
  response instanceof Refused ? { refused: response.message } : { answer: response }

/** Converts a stored answer to the value that a handler receives. */
export const fromTaskAnswer = (answer: TaskAnswer): unknown =>
  'refused' in answer ? new Refused(answer.refused) : answer.answer

/** Any error except an McpError is a bug of the server, and gets a fixed text. */
export function toErrorOutcome(error: unknown): Extract<TaskOutcome, { error: object }> {
  const { reason, message, data } = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return { error: { reason, message, data } }
}

/** @throws McpError the error that the call ended with */
export function unwrapOutcome(outcome: TaskOutcome): JsonObject {
  if ('result' in outcome) return outcome.result
  const { reason, message, data } = outcome.error
  throw McpError.restored(reason, message, data)
}

/** The error of a task whose process stopped before the task ended. */
export function createInterruptedError(): McpError {
  const text = 'interrupted: the server was stopped while the task ran; call the tool again'
  return new McpError('HANDLER_FAILED', text, { cause: new ToolFailure('cancelled', text) })
}

export const mapValues = <T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))

const ID_BYTES = 24

export interface NewTask {
  readonly tool: Tool
  readonly exchange: Exchange
  /** The only caller who may see it; undefined: any caller who knows its id. */
  readonly owner: string | undefined
  /** The facts that `visible` rules need once the tool is not served any more. */
  readonly absent?: AbsentTool | undefined
  /** Answers that came with the call. */
  readonly answers: JsonObject
  /** How often its tool has asked a question before. */
  readonly rounds?: number
  /** True if the client learns of it even if it ends at once. */
  readonly isHandedOut: boolean
  /** The TTL that the client asks for, ms. */
  readonly ttlMs?: number | undefined
}

/** @param longestMs the default TTL, and the upper bound of the client's, ms */
export function createTask(opening: NewTask, longestMs: number): Task {
  const { tool, exchange, owner, absent, answers, rounds = 0, isHandedOut, ttlMs = longestMs } = opening
  const nowMs = Date.now()
  const job = createJob(exchange)
  const known = Object.entries(answers).map(([key, given]) => [key, toTaskAnswer(given)])
  return {
    id: randomBytes(ID_BYTES).toString('base64url'),
    owner,
    clientKey: exchange.clientKey,
    session: isHandedOut ? exchange.session?.id : undefined,
    tool: tool.name,
    scopes: tool.scopes,
    absent,
    status: 'working',
    statusMessage: undefined,
    progress: undefined,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ttlMs: Math.max(1, Math.min(Math.ceil(ttlMs), longestMs)),
    isHandedOut,
    job,
    rounds,
    run: 0,
    turn: 0,
    isRunning: false,
    hasBegun: false,
    questions: {},
    answers: Object.fromEntries(known),
    issued: [],
    outcome: undefined,
    version: 0,
    size: Math.max(
      MIN_TASK_SIZE,
      countJsonBytes(job) + countJsonBytes(answers) + (absent ? countJsonBytes(absent) : 0),
    ),
  }
}

function createJob(exchange: Exchange): NonNullable<Task['job']> {
  const { params, meta, revision, capabilities, logLevel, caller, id, requestId, door } = exchange
  const args = (params['arguments'] ?? {}) as JsonObject
  const traceparent = exchange.traceparent ?? findTraceparent(params, exchange.headers)
  const version = revision.version
  const wanted = logLevel === undefined ? {} : { logLevel }
  const job = { arguments: args, meta, version, capabilities, ...wanted, caller, id, requestId, door }
  return traceparent === undefined ? job : { ...job, traceparent }
}

export const toQueueEntry = ({ id, run, clientKey, job }: Task): QueueEntry => ({
  id,
  run,
  clientKey,
  hasQuota: job?.caller !== undefined,
})

type ExchangeParts = Pick<Exchange, 'cancellation' | 'progress' | 'log' | 'onLog'>

/**
 * Builds the exchange of a task: the one of its request, without the connection.
 *
 * @throws McpError UNSUPPORTED_VERSION if another version of this server made the task
 */
export function createTaskExchange(
  { id: taskId, job, tool, answers, owner, clientKey }: Task & { readonly job: Job },
  own: ExchangeParts,
): Exchange {
  const { arguments: args, meta, version, capabilities, logLevel, caller, id, requestId, door, traceparent } = job
  const revision = findRevision(version)
  if (revision === undefined) throw unsupportedVersion(version)
  const headers = traceparent === undefined ? {} : { traceparent }
  return {
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, inputResponses: mapValues(answers, fromTaskAnswer) },
    meta,
    revision,
    headers,
    capabilities,
    caller,
    // Without a caller, a session may own the task.
    owner: caller && owner,
    clientKey,
    sink: undefined,
    logLevel,
    session: undefined,
    taskId,
    ask: undefined,
    requestId,
    door,
    traceparent,
    ...own,
    log: withTraceId(own.log, undefined, headers),
  }
}
