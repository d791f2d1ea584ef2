// The JSON-RPC message shapes of MCP. Knows nothing of revisions, headers or HTTP.
import { McpError } from './errors.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
/** An object of JSON. */
export type JsonObject = { [key: string]: unknown }
/** The id of a JSON-RPC request. */
export type RequestId = string | number

export interface JsonRpcResponse {
  jsonrpc: '2.0'
  id: RequestId
  result?: JsonObject
  error?: JsonObject
}

export type Message =
  | { kind: 'request'; id: RequestId; method: string; params: JsonObject }
  | { kind: 'notification'; method: string; params: JsonObject }
  | { kind: 'response'; id: RequestId; body: JsonRpcResponse }

/** Maximum length of a string id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 1024

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])
const UPPERCASE_MEMBERS = new Set([...MEMBERS].map(name => name.toUpperCase()))
const NO_PARAMS: JsonObject = Object.freeze({})

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Freezes a value of JSON at every depth. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

/** A string or a safe integer, never null. Spec 2026-07-28: basic/index, "Requests". */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_BYTES && Buffer.byteLength(value) <= MAX_ID_BYTES
  return Number.isSafeInteger(value)
}

/** The id for the error response to a malformed request; undefined for a response. */
export function findReadableId(value: unknown): RequestId | undefined {
  if (!isObject(value) || 'result' in value || 'error' in value) return undefined
  const { id } = value
  // UTF-8 cannot encode a lone surrogate.
  return isRequestId(id) && String(id).isWellFormed() ? id : undefined
}

/** @throws McpError INVALID_REQUEST (-32600). Spec 2026-07-28: basic/index, "Messages" */
export function readMessage(value: unknown): Message {
  if (Array.isArray(value)) throw new McpError('INVALID_REQUEST', 'one message at a time, not a batch')
  if (!isObject(value)) throw new McpError('INVALID_REQUEST', 'the body must be a JSON object')
  for (const key in value) {
    if (!MEMBERS.has(key)) assertExactCase(key)
  }
  if (value['jsonrpc'] !== '2.0') throw new McpError('INVALID_REQUEST', 'jsonrpc must be "2.0"')
  const { id, method, params } = value
  if (id !== undefined && !isRequestId(id)) {
    throw new McpError('INVALID_REQUEST', `id must be a string of at most ${MAX_ID_BYTES} bytes or a safe integer`)
  }
  if (method === undefined) return readResponse(value, id)
  if (typeof method !== 'string' || value['result'] !== undefined || value['error'] !== undefined) {
    throw new McpError('INVALID_REQUEST', 'method must be a string, without result or error beside it')
  }
  if (params !== undefined && !isObject(params)) throw new McpError('INVALID_REQUEST', 'params must be an object')
  if (id === undefined) return { kind: 'notification', method, params: params ?? NO_PARAMS }
  return { kind: 'request', id, method, params: params ?? NO_PARAMS }
}

// Some proxies read `Method` as `method` and would see another message than we do.
function assertExactCase(key: string): void {
  if (!UPPERCASE_MEMBERS.has(key.toUpperCase())) return
  throw new McpError('INVALID_REQUEST', 'use the exact member names jsonrpc, id, method, params')
}

function readResponse({ result, error }: JsonObject, id: RequestId | undefined): Message {
  if (id === undefined || isObject(result) === isObject(error))
    throw new McpError('INVALID_REQUEST', 'method is missing')
  const answer = isObject(result) ? { result } : { error: error as JsonObject }
  return { kind: 'response', id, body: { jsonrpc: '2.0', id, ...answer } }
}
