// Checks every message that a test receives against the official schema of the newest revision, closed.
// Messages of tasks are those of an extension: test/support/wire/tasks.ts.

import { NEWS_NAMES, RESULT_NAMES } from './names.ts'
import { isEnvelope, strictOf } from './strict.ts'
import { checkTaskFilter, checkTaskNotification, checkTaskResult } from './tasks.ts'

const faultOf = strictOf('2026-07-28')

const RESULTS: Record<string, string> = {
  ...RESULT_NAMES,
  'server/discover': 'DiscoverResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
}
const NOTIFICATIONS: Record<string, string> = {
  ...NEWS_NAMES,
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
}

export interface WireMessage {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely; their shape is checked here
  params?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  result?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error?: any
}

function check(definition: string, value: unknown): void {
  const fault = faultOf(definition, value)
  if (fault !== '') throw new Error(`${fault}\n${JSON.stringify(value).slice(0, 500)}`)
}

/**
 * @param method the request's method, for a response
 * @throws Error where the message is not what the schema says
 */
export function assertWire(message: WireMessage, method?: string): WireMessage {
  if (message.method !== undefined) assertNotification(message)
  else if (message.error !== undefined) check('JSONRPCErrorResponse', message)
  else assertResult(message, method ?? '')
  return message
}

function assertNotification(message: WireMessage): void {
  if (message.method === 'notifications/tasks') {
    checkTaskNotification(message)
    return
  }
  const definition = NOTIFICATIONS[message.method!]
  if (definition === undefined) throw new Error(`unexpected notification ${message.method}`)
  if (message.method !== 'notifications/subscriptions/acknowledged') check(definition, message)
  else checkAcknowledgement(definition, message)
}

// Tasks are of the extension.
function checkAcknowledgement(definition: string, message: WireMessage): void {
  const { taskIds: _, ...filter } = message.params.notifications
  check(definition, { ...message, params: { ...message.params, notifications: filter } })
  checkTaskFilter(message.params.notifications)
}

function assertResult(message: WireMessage, method: string): void {
  const { result } = message
  check('RequestId', message.id)
  if (!isEnvelope({ ...message })) throw new Error(`not an envelope: ${JSON.stringify(message).slice(0, 500)}`)
  if (checkTaskResult(method, result)) {
    if (result.status === 'completed' && method === 'tasks/get') check('CallToolResult', result.result)
    return
  }
  const definition = result.resultType === 'input_required' ? 'InputRequiredResult' : RESULTS[method]
  if (definition !== undefined) check(definition, result)
}
