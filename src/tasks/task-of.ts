// How a call becomes a task: what is needed to run it later, and to say whose it is.
import { randomBytes } from 'node:crypto'
import { traceparentIn } from '../audit/trace.ts'
import type { Exchange } from '../exchange.ts'
import { sizeOf } from '../json-size.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import { MIN_SIZE_OF_TASK } from '../state/task-bounds.ts'
import type { Turn } from '../state/tasks.ts'
import type { Task } from '../task.ts'
import { answerOf } from './outcome.ts'

const ID_BYTES = 24

export interface Opening {
  readonly tool: Tool
  readonly exchange: Exchange
  /** Who alone may see it; undefined: whoever knows its id. */
  readonly owner: string | undefined
  /** Answers that the call brought with it. */
  readonly answers: JsonObject
  /** How often its tool has asked before. */
  readonly rounds?: number
  /** Whether the client will be told of it, however soon it ends. */
  readonly isHandedOut: boolean
  /** As long as the client wishes to have it kept, ms. */
  readonly ttlMs?: number | undefined
}

/** @param longestMs how long a task is kept, also where its client wishes for longer */
export function taskOf(opening: Opening, longestMs: number): Task {
  const { tool, exchange, owner, answers, rounds = 0, isHandedOut, ttlMs = longestMs } = opening
  const nowMs = Date.now()
  const job = jobOf(exchange)
  const known = Object.entries(answers).map(([key, given]) => [key, answerOf(given)])
  return {
    id: randomBytes(ID_BYTES).toString('base64url'),
    owner,
    clientKey: exchange.clientKey,
    session: isHandedOut ? exchange.session?.id : undefined,
    tool: tool.name,
    scopes: tool.scopes,
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
    size: Math.max(MIN_SIZE_OF_TASK, sizeOf(job) + sizeOf(answers)),
  }
}

function jobOf(exchange: Exchange): NonNullable<Task['job']> {
  const { params, meta, revision, capabilities, caller, id, requestId } = exchange
  const args = (params['arguments'] ?? {}) as JsonObject
  const traceparent = exchange.traceparent ?? traceparentIn(params, exchange.headers)
  const job = { arguments: args, meta, version: revision.version, capabilities, caller, id, requestId }
  return traceparent === undefined ? job : { ...job, traceparent }
}

export const turnOf = ({ id, run, clientKey, job }: Task): Turn => ({
  id,
  run,
  clientKey,
  hasShare: job?.caller !== undefined,
})
