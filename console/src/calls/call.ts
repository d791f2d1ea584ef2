// One call of a tool, from its arguments to its end, and what came with it.
import type { JsonObject, RawMessage } from '../client/json-rpc.ts'
import { isObject } from '../client/json-rpc.ts'
import { appendMessage, type LoggedMessage } from '../client/message-log.ts'
import type { Problem } from '../client/problem.ts'
import { append } from '../client/store.ts'

export const MAX_LOG_ENTRIES = 500
export const MAX_CALL_MESSAGES = 200

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface LogEntry {
  readonly at: number
  readonly level: string
  readonly data: unknown
}

export interface Call {
  readonly id: number
  readonly tool: string
  readonly args: JsonObject
  readonly startedAt: number
  readonly endedAt?: number
  readonly status: 'running' | 'done' | 'failed' | 'cancelled' | 'task'
  readonly progress?: Progress
  readonly logs: readonly LogEntry[]
  readonly messages: readonly LoggedMessage[]
  readonly result?: JsonObject
  readonly problem?: Problem
  readonly taskId?: string
  /** The newest result as the server sent it, even if the client rejected it. */
  readonly received?: JsonObject
}

/** What a raw message adds to its call. */
export function addMessage(call: Call, message: RawMessage, logged: LoggedMessage): Call {
  const messages = appendMessage(call.messages, logged, MAX_CALL_MESSAGES)
  const { method, params = {} } = message
  if (logged.direction === 'sent') return { ...call, messages }
  if (method === 'notifications/progress' && typeof params['progress'] === 'number')
    return { ...call, messages, progress: params as unknown as Progress }
  if (method === 'notifications/message') {
    const entry = { at: logged.at, level: String(params['level']), data: params['data'] }
    return { ...call, messages, logs: append(call.logs, entry, MAX_LOG_ENTRIES) }
  }
  return { ...call, messages, ...(isObject(message.result) && { received: message.result }) }
}
