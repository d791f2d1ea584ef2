// The error catalogue: each refusal with its JSON-RPC code and HTTP status.
// Our own codes are the HTTP status times 100, outside JSON-RPC's reserved range.
// Spec 2026-07-28: basic/index, "Error Codes".
import { keepText, toOneLine } from '../text/one-line.ts'

interface ErrorRow {
  readonly code: number
  readonly status: number
  /** `%s` is replaced by the detail, cleaned and cut. */
  readonly text: string
}

const errorRow = (code: number, status: number, text: string): ErrorRow => Object.freeze({ code, status, text })

export const CATALOGUE = Object.freeze({
  PARSE_ERROR: errorRow(-32700, 400, 'Parse error: %s'),
  INVALID_REQUEST: errorRow(-32600, 400, 'Invalid request: %s'),
  METHOD_NOT_FOUND: errorRow(-32601, 404, 'Method not found: %s'),
  INVALID_PARAMS: errorRow(-32602, 400, 'Invalid params: %s'),
  UNKNOWN_TOOL: errorRow(-32602, 200, 'Unknown tool: %s'),
  UNKNOWN_PROMPT: errorRow(-32602, 200, 'Unknown prompt: %s'),
  RESOURCE_NOT_FOUND: errorRow(-32602, 200, 'Resource not found: %s'),
  INVALID_ARGUMENTS: errorRow(-32602, 200, 'Invalid arguments: %s'),
  INVALID_CURSOR: errorRow(-32602, 200, 'Invalid cursor: %s'),
  TASK_NOT_FOUND: errorRow(-32602, 200, 'Task not found: %s'),
  TASK_ENDED: errorRow(-32602, 200, 'Task has ended: %s'),
  INVALID_STATE: errorRow(-32602, 200, 'Invalid requestState: %s'),
  HANDLER_FAILED: errorRow(-32603, 200, '%s'),
  INTERNAL_ERROR: errorRow(-32603, 500, 'Internal error'),
  HEADER_MISMATCH: errorRow(-32020, 400, 'Header mismatch: %s'),
  MISSING_CAPABILITY: errorRow(-32021, 400, 'Missing required client capability: %s'),
  UNSUPPORTED_VERSION: errorRow(-32022, 400, 'Unsupported protocol version: %s'),
  SESSION_REQUIRED: errorRow(-32600, 400, 'Session required: %s'),
  UNAUTHENTICATED: errorRow(40100, 401, 'Unauthorized: %s'),
  INSUFFICIENT_SCOPE: errorRow(40300, 403, 'Insufficient scope: %s'),
  FORBIDDEN_ORIGIN: errorRow(40300, 403, 'Origin not allowed: %s'),
  FORBIDDEN_HOST: errorRow(40300, 403, 'Host not allowed: %s'),
  NOT_FOUND: errorRow(40400, 404, 'Not found: %s'),
  SESSION_NOT_FOUND: errorRow(40400, 404, 'Session not found: %s'),
  METHOD_NOT_ALLOWED: errorRow(40500, 405, 'HTTP method not allowed: %s'),
  NOT_ACCEPTABLE: errorRow(40600, 406, 'Not acceptable: %s'),
  REQUEST_TIMEOUT: errorRow(40800, 408, 'Request timeout: %s'),
  BODY_TOO_LARGE: errorRow(41300, 413, 'Body too large: %s'),
  UNSUPPORTED_MEDIA_TYPE: errorRow(41500, 415, 'Unsupported media type: %s'),
  EXPECTATION_FAILED: errorRow(41700, 417, 'Expectation failed: %s'),
  RATE_LIMITED: errorRow(42900, 429, 'Too many requests: %s'),
  TOO_MANY_HEADERS: errorRow(43100, 431, 'Too many headers: %s'),
  NOT_IMPLEMENTED: errorRow(50100, 501, 'Not implemented: %s'),
  BUSY: errorRow(50300, 503, 'Server busy: %s'),
  UNVERIFIABLE: errorRow(50300, 503, 'The token cannot be verified now: %s'),
  STATE_UNAVAILABLE: errorRow(50300, 503, 'State unavailable: %s'),
  AUDIT_UNAVAILABLE: errorRow(50300, 503, 'Audit unavailable: %s'),
  DRAINING: errorRow(50300, 503, 'Server shutting down: %s'),
})

/** The names of protocol errors. */
export type ErrorName = keyof typeof CATALOGUE

export interface ErrorExtras {
  data?: unknown
  /** Seconds for `Retry-After`, at least 1. */
  retryAfterS?: number
  challenge?: string
  cause?: unknown
}

const MAX_DETAIL = 200

/** A protocol error: one row of `CATALOGUE` and the detail of this case. */
export class McpError extends Error {
  readonly reason: ErrorName
  readonly code: number
  readonly status: number
  readonly data: unknown
  readonly retryAfterS: number | undefined
  readonly challenge: string | undefined

  constructor(reason: ErrorName, detail = '', extras: ErrorExtras = {}) {
    const { code, status, text } = CATALOGUE[reason]
    super(
      text.replace('%s', () => cleanDetail(detail)),
      { cause: extras.cause },
    )
    this.name = 'McpError'
    this.reason = reason
    this.code = code
    this.status = status
    this.data = extras.data
    this.retryAfterS = extras.retryAfterS
    this.challenge = extras.challenge
  }

  /** The part of the message that stands for `%s` in its row. */
  get detail(): string {
    return this.message.slice(Math.max(0, CATALOGUE[this.reason].text.indexOf('%s')))
  }

  /** Rebuilds a stored error, such as that of a task, with its original message. */
  static restored(reason: ErrorName, message: string, data: unknown): McpError {
    return Object.assign(new McpError(reason, '', { data }), { message })
  }
}

// The detail may quote client input: keep control characters out of logs and terminals.
function cleanDetail(detail: string): string {
  return keepText(toOneLine(detail.toWellFormed()), MAX_DETAIL)
}
