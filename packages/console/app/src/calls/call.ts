// One call of a tool, from its arguments to its end, with everything that arrived.
import type { JsonObject, RawMessage } from '../client/json-rpc.ts'
import { isObject } from '../client/json-rpc.ts'
import { appendMessage, type LoggedMessage } from '../client/message-log.ts'
import type { Problem } from '../client/problem.ts'
import { append } from '../client/store.ts'
import { mayLose, parseExact } from '../results/exact.ts'
import { type Answer, type Asked, readAnswer, readQuestions } from './answers.ts'
import type { Steps } from './progress.ts'
import { addStep } from './progress.ts'

export const MAX_LOG_ENTRIES = 500
export const MAX_CALL_MESSAGES = 200

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
  /** `task`: the server answered with a task, which continues. */
  readonly status: 'running' | 'done' | 'failed' | 'cancelled' | 'task'
  /** The revision that it was sent in. */
  readonly revision?: string | undefined
  readonly progress?: Steps
  readonly logs: readonly LogEntry[]
  /** Number of entries so far, including dropped ones. */
  readonly logCount: number
  readonly messages: readonly LoggedMessage[]
  readonly messageCount: number
  readonly result?: JsonObject
  readonly problem?: Problem
  readonly taskId?: string
  /** The newest result as the server sent it, even if the client has rejected it. */
  readonly received?: JsonObject
  /** The message with the result, as it was written. */
  readonly answerText?: string
  /** Size of that message. */
  readonly bytes?: number
  readonly httpStatus?: number | undefined
  readonly requestId?: string | undefined
  /** Questions that the tool has asked, by their keys. */
  readonly asked?: Readonly<Record<string, Asked>>
  /** The user's last answer to one of them. */
  readonly answered?: Answer | undefined
  /** The call is from before a reload, and its result was too large to keep. */
  readonly isCut?: boolean
}

/** Adds a raw message to its call. @param text of the whole message */
export function addMessage(call: Call, message: RawMessage, logged: LoggedMessage, text: string): Call {
  const { method, params = {} } = message
  const noted: Call = {
    ...call,
    messages: appendMessage(call.messages, logged, MAX_CALL_MESSAGES),
    messageCount: call.messageCount + 1,
  }
  if (logged.direction === 'sent') return { ...noted, answered: readAnswer(message, call.asked) ?? call.answered }
  if (method === 'notifications/progress' && typeof params['progress'] === 'number')
    return { ...noted, progress: addStep(call.progress, params, logged.at) }
  if (method === 'notifications/message') {
    const entry = { at: logged.at, level: String(params['level']), data: params['data'] }
    return { ...noted, logs: append(call.logs, entry, MAX_LOG_ENTRIES), logCount: call.logCount + 1 }
  }
  const asked = { ...call.asked, ...readQuestions(message) }
  return { ...noted, asked, ...(method === undefined && readEnd(message, logged, text)) }
}

/**
 * Reads an answer of the server. The newest answer is that of the call; earlier ones are rounds of
 * questions.
 */
function readEnd({ result, error }: RawMessage, logged: LoggedMessage, text: string): Partial<Call> {
  if (result === undefined && error === undefined) return {}
  return {
    answerText: text,
    bytes: logged.bytes,
    httpStatus: logged.status,
    requestId: logged.headers?.find(([name]) => name === 'x-request-id')?.[1],
    ...(isObject(result) && { received: readExact(result, text) }),
  }
}

/** Keeps each number that JavaScript would round. */
function readExact(result: JsonObject, text: string): JsonObject {
  if (!mayLose(text)) return result
  const exact = parseExact(text)
  return isObject(exact) && isObject(exact['result']) ? exact['result'] : result
}
