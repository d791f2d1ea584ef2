// Checks every message that a test receives against the official schema of the revision (test/spec).
// Messages of tasks are those of an extension: test/tasks/wire.ts.
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { checkTaskFilter, checkTaskNotification, checkTaskResult } from './tasks/wire.ts'
import { NEWS_NAMES, RESULT_NAMES } from './wire-names.ts'

const schema = JSON.parse(readFileSync(new URL('./spec/schema-2026-07-28.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(schema, 'mcp')

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
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`) as ValidateFunction
  if (!validate(value)) {
    throw new Error(`not a ${definition}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value).slice(0, 500)}`)
  }
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
  check(definition, message)
  if (message.method === 'notifications/subscriptions/acknowledged') checkTaskFilter(message.params.notifications)
}

function assertResult(message: WireMessage, method: string): void {
  const { result } = message
  check('JSONRPCResultResponse', message)
  if (checkTaskResult(method, result)) {
    if (result.status === 'completed' && method === 'tasks/get') check('CallToolResult', result.result)
    return
  }
  const definition = result.resultType === 'input_required' ? 'InputRequiredResult' : RESULTS[method]
  if (definition !== undefined) check(definition, result)
}
