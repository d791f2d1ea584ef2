// Checks every message that a test receives against the official schema of the revision (test/spec).
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const schema = JSON.parse(readFileSync(new URL('./spec/schema-2026-07-28.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(schema, 'mcp')

const RESULTS: Record<string, string> = {
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
}
const NOTIFICATIONS: Record<string, string> = {
  'notifications/progress': 'ProgressNotification',
  'notifications/message': 'LoggingMessageNotification',
  'notifications/tools/list_changed': 'ToolListChangedNotification',
  'notifications/prompts/list_changed': 'PromptListChangedNotification',
  'notifications/resources/list_changed': 'ResourceListChangedNotification',
  'notifications/resources/updated': 'ResourceUpdatedNotification',
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
  if (message.method !== undefined) {
    const definition = NOTIFICATIONS[message.method]
    if (definition === undefined) throw new Error(`unexpected notification ${message.method}`)
    check(definition, message)
  } else if (message.error !== undefined) {
    check('JSONRPCErrorResponse', message)
  } else {
    check('JSONRPCResultResponse', message)
    const definition = message.result.resultType === 'input_required' ? 'InputRequiredResult' : RESULTS[method ?? '']
    if (definition !== undefined) check(definition, message.result)
  }
  return message
}
