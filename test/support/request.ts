// What a client of the newest revision sends, and what it reads in an answer.
import type { WireMessage } from './wire/modern.ts'

export const VERSION = '2026-07-28'
export const META = 'io.modelcontextprotocol/'

export interface CallOptions {
  id?: string | number
  capabilities?: object
  /** More members of `_meta`. */
  meta?: object
  /** Laid over the usual headers; `undefined` takes one away. */
  headers?: Record<string, string | undefined>
}

let ids = 0

/** What `Mcp-Name` mirrors, by method. */
const NAMED_BY: Record<string, string | undefined> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** A correct request of 2026-07-28: its message and the headers that mirror it. */
export function request(method: string, params: Record<string, unknown> = {}, options: CallOptions = {}) {
  const { id = ++ids, capabilities = {}, meta = {}, headers = {} } = options
  const _meta = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'test', version: '1.0.0' },
    [`${META}clientCapabilities`]: capabilities,
    ...meta,
  }
  const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
  const all: Record<string, string | undefined> = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    ...mirrored(message),
    ...headers,
  }
  return { message, headers: defined(all) }
}

/** The headers that repeat what is in a message. */
export function mirrored({ method, params = {} }: { readonly method: string; readonly params?: object | undefined }) {
  const name = (params as Record<string, unknown>)[NAMED_BY[method] ?? '']
  return { 'mcp-method': method, 'mcp-name': typeof name === 'string' ? name : undefined }
}

/** The headers without those that are taken away. */
export const defined = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>

export function readMessages(contentType: string, body: string): WireMessage[] {
  if (!contentType.startsWith('text/event-stream')) return body === '' ? [] : [JSON.parse(body)]
  return body
    .split('\n')
    .filter(line => line.startsWith('data: ') && line !== 'data: ')
    .map(line => JSON.parse(line.slice(6)))
}
