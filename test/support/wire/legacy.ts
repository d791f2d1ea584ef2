// Checks a message against the official schema of any revision, closed; wire.ts is the same for the newest.

import { taskFaultOf } from './legacy-tasks.ts'
import { assertWire, type WireMessage } from './modern.ts'
import { NEWS_NAMES, RESULT_NAMES } from './names.ts'
import { isEnvelope, strictOf } from './strict.ts'

/** @throws Error where the message is not what the schema says @param method the request's, for a response */
export type AssertWire = (message: WireMessage, method?: string) => WireMessage

const RESULTS: Record<string, string> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  ...RESULT_NAMES,
  'tasks/get': 'GetTaskResult',
  'tasks/cancel': 'CancelTaskResult',
  'tasks/list': 'ListTasksResult',
  // Whatever the call would have answered: there are tasks of tools only.
  'tasks/result': 'CallToolResult',
}
const SAID: Record<string, string> = {
  ...NEWS_NAMES,
  'notifications/cancelled': 'CancelledNotification',
  'notifications/tasks/status': 'TaskStatusNotification',
}
const ASKED: Record<string, string> = {
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
  ping: 'PingRequest',
}
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

const made = new Map<string, AssertWire>()

/** @param revision one of the versions that are served */
export function wireOf(revision: string): AssertWire {
  let check = made.get(revision)
  if (check === undefined) made.set(revision, (check = make(revision)))
  return check
}

function make(revision: string): AssertWire {
  if (revision === '2026-07-28') return assertWire
  const faultOf = strictOf(revision)
  const check = (definition: string, value: unknown) => {
    const fault = faultOf(definition, value)
    if (fault !== '') throw new Error(`${fault}\n${JSON.stringify(value).slice(0, 500)}`)
  }
  const errorName = revision === '2025-11-25' ? 'JSONRPCErrorResponse' : 'JSONRPCError'

  return (message, method = '') => {
    if (message.jsonrpc !== '2.0') throw new Error(`not JSON-RPC: ${JSON.stringify(message).slice(0, 500)}`)
    if (message.method !== undefined) check(nameOf(message), definedPart(message, revision))
    // Not schema-valid before 2025-11-25 without an id; yet there is none where the request's could not be read.
    else if (message.error !== undefined) check(errorName, 'id' in message ? message : { ...message, id: 0 })
    else {
      const { id, result } = message
      check('RequestId', id)
      if (!isEnvelope({ ...message })) throw new Error(`not an envelope: ${JSON.stringify(message).slice(0, 500)}`)
      if (method === 'tools/call' && 'task' in result) check('CreateTaskResult', result)
      else if (RESULTS[method] !== undefined) check(RESULTS[method], result)
    }
    const fault = taskFaultOf(message, method)
    if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(message).slice(0, 500)}`)
    return message
  }
}

function nameOf({ id, method }: WireMessage): string {
  const name = (id === undefined ? SAID : ASKED)[method!]
  if (name === undefined) throw new Error(`unexpected ${id === undefined ? 'notification' : 'request'} ${method}`)
  return name
}

/** Before 2025-11-25 the definition of a request or notification is what is within the envelope. */
function definedPart(message: WireMessage, revision: string): object {
  if (revision >= '2025-11-25') return message
  const { jsonrpc: _, id: _id, ...rest } = message
  return rest
}
