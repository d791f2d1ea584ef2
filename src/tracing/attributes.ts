// What spans and OTLP metrics say of a request, in the words of the semantic conventions.
import type { Attributes } from '@opentelemetry/api'
import { type Ending, labelOf } from '../audit/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { createSecretMask } from '../execution/mask.ts'
import { FINE, UNKNOWN } from '../metrics/metrics.ts'
import { McpError } from '../protocol/errors.ts'

const MAX_ID = 128
const MAX_URI = 500
/** Longer ones are cut before they are searched. */
const MAX_RAW_URI = 2000

/** What clients made up may hold credentials, and spans go to other places than the audit. */
export const masked = createSecretMask([])

// What a client made up names no span.
export const methodOf = ({ method, revision }: Exchange) => (revision.methods.has(method) ? method : UNKNOWN)

/** Values of which there are few. */
export function fewAttributesOf(exchange: Exchange, target: string | undefined): Attributes {
  const method = methodOf(exchange)
  const isCall = method === 'tools/call'
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': exchange.revision.version,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    ...(isCall && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(isCall && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(method === 'prompts/get' && target !== undefined && { 'gen_ai.prompt.name': target }),
  }
}

/** Values that are another with each request, for its span only. */
export function ownAttributesOf(exchange: Exchange): Attributes {
  const { id, session, params } = exchange
  const { uri } = params
  const hasUri = methodOf(exchange).startsWith('resources/') && typeof uri === 'string'
  return {
    'jsonrpc.request.id': String(id).slice(0, MAX_ID),
    ...(session !== undefined && { 'mcp.session.id': session.id }),
    ...(hasUri && { 'mcp.resource.uri': masked(uri.slice(0, MAX_RAW_URI)).slice(0, MAX_URI) }),
  }
}

export function failureOf(ending: Ending, error: unknown): Attributes {
  if (error !== undefined) {
    const code = error instanceof McpError ? String(error.code) : '-32603'
    return { 'error.type': code, 'rpc.response.status_code': code }
  }
  if (FINE.has(ending.outcome)) return {}
  // A result that says that the tool failed, for whichever reason, is a tool error to whoever called it.
  return { 'error.type': 'tool_error', 'toolrack.outcome': labelOf(ending) }
}
