// The answer to one request: a JSON-RPC response as text, and the HTTP status beside it.
import { McpError } from './protocol/errors.ts'
import type { RequestId } from './protocol/messages.ts'

export interface Answer {
  readonly status: number
  readonly json: string
  /** Seconds for `Retry-After`. */
  readonly retryAfterS?: number | undefined
}

/** @param resultJson the result, already JSON */
export function resultAnswer(id: RequestId, resultJson: string): Answer {
  return { status: 200, json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}` }
}

/** What is not an McpError is a fault of ours: it gets a fixed text. Without a readable id the member is left out. */
export function errorAnswer(error: unknown, id: RequestId | undefined): Answer {
  const { code, message, data, status, retryAfterS } =
    error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }), retryAfterS }
}
