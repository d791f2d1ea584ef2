// What spans and OTLP metrics say of a request, in the words of the semantic conventions.
import type { Attributes } from '@opentelemetry/api'
import { createSecretMask } from '../execution/mask.ts'
import { createErrorBody } from '../request/answer.ts'
import type { CancelReason } from '../request/cancellation.ts'
import type { Exchange } from '../request/exchange.ts'
import { isNoError } from '../request/outcome.ts'
import type { Ending } from './ending.ts'
import { UNKNOWN } from './metrics.ts'

const MAX_URI = 500
/** Longer ones are cut before they are searched. */
const MAX_RAW_URI = 2000

/** What clients made up may hold credentials, and spans go to other places than the audit. */
export const maskUserText = createSecretMask([])

// What a client made up names no span.
export const getMethodName = ({ method, revision }: Exchange) => (revision.methods.has(method) ? method : UNKNOWN)

/** Values of which there are few. */
export function getLowCardinalityAttributes(exchange: Exchange, target: string | undefined): Attributes {
  const method = getMethodName(exchange)
  const { httpVersion } = exchange
  const isCall = method === 'tools/call'
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': exchange.revision.version,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    ...(httpVersion !== undefined && { 'network.protocol.version': httpVersion === '2.0' ? '2' : httpVersion }),
    ...(isCall && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(isCall && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(method === 'prompts/get' && target !== undefined && { 'gen_ai.prompt.name': target }),
  }
}

/** Values that are another with each request, for its span only. */
export function getRequestAttributes(exchange: Exchange): Attributes {
  const { id, session, params } = exchange
  const { uri } = params
  const hasUri = getMethodName(exchange).startsWith('resources/') && typeof uri === 'string'
  return {
    'jsonrpc.request.id': String(id),
    ...(session !== undefined && { 'mcp.session.id': session.id }),
    ...(hasUri && { 'mcp.resource.uri': maskUserText(uri.slice(0, MAX_RAW_URI)).slice(0, MAX_URI) }),
  }
}

/**
 * Codes for what the caller did wrong, which is no failure of the server. MCP conventions:
 * "rpc.response.status_code" of a server.
 */
const CALLER_ERROR_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002])

/** Reasons for which nobody waits for the result. */
const ABANDONED_REASONS: ReadonlySet<string | undefined> = new Set([
  'client-left',
  'cancelled',
] satisfies CancelReason[])

/** How it failed. */
export interface SpanFailure {
  readonly attributes: Attributes
  /** As the client reads it, where the protocol refused. */
  readonly message?: string | undefined
}

export function toSpanFailure({ revision }: Exchange, ending: Ending, error: unknown): SpanFailure {
  if (ending.outcome === 'cancelled' && ABANDONED_REASONS.has(ending.reason))
    return { attributes: { 'error.type': 'cancelled' } }
  if (error !== undefined) {
    const { code, message } = createErrorBody(error, revision)
    const refusal = { 'rpc.response.status_code': String(code) }
    if (CALLER_ERROR_CODES.has(code)) return { attributes: refusal }
    return { attributes: { 'error.type': String(code), ...refusal }, message: maskUserText(message) }
  }
  if (isNoError(ending.outcome)) return { attributes: {} }
  // A result that says that the tool failed, for whichever reason, is a tool error to whoever
  // called it.
  return { attributes: { 'error.type': 'tool_error', 'toolrack.outcome': ending.outcome } }
}
