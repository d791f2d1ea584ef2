// Explains protocol, HTTP and network errors in plain words.
import { InsufficientScopeError, ProtocolError, SdkError } from '@modelcontextprotocol/client'
import { isObject } from './json-rpc.ts'

export interface Problem {
  readonly title: string
  readonly detail: string
  /** HTTP status, if the server answered with one. */
  readonly status?: number
  readonly code?: number
  readonly data?: unknown
  /** The error code of OAuth, such as `insufficient_scope`. */
  readonly error?: string
  /** Scopes that the token lacks. */
  readonly scopes?: readonly string[]
  /** The browser's words, if no answer came. */
  readonly said?: string
}

const BY_STATUS = {
  401: 'Sign in to go on',
  403: 'You may not do this',
  404: 'Not found',
  413: 'The request is too large',
  429: 'Too many requests: try again later',
  503: 'The server is busy or stopping: try again later',
} as const

export function describeProblem(error: unknown): Problem {
  if (error instanceof ProtocolError)
    return { title: 'The server refused', detail: error.message, code: error.code, data: error.data }
  if (error instanceof InsufficientScopeError) {
    const { requiredScope: scope } = error
    const detail = scope === undefined ? 'The token lacks a scope.' : `The token lacks the scope: ${scope}`
    const scopes = scope?.split(' ').filter(each => each !== '')
    return { title: BY_STATUS[403], detail, status: 403, error: 'insufficient_scope', ...(scopes && { scopes }) }
  }
  const status = findStatus(error)
  if (status !== undefined) {
    const answered = findAnsweredError(error)
    const title = BY_STATUS[status as keyof typeof BY_STATUS] ?? `The server answered ${status}`
    return { title, detail: answered?.message ?? `HTTP ${status}`, status, code: answered?.code, data: answered?.data }
  }
  // A browser's error has no code, and each browser has its own text.
  if (error instanceof TypeError && /fetch|network|load/i.test(error.message)) return describeNoAnswer(error.message)
  const detail = error instanceof Error ? error.message : String(error)
  return { title: error instanceof SdkError ? 'The answer is not valid' : 'This failed', detail }
}

/** @param said the browser's text */
export const describeNoAnswer = (said: string): Problem => ({
  title: 'The server cannot be reached',
  detail: `Is it running? The browser says: ${said}`,
  said,
})

function findStatus(error: unknown): number | undefined {
  const data = isObject(error) || error instanceof Error ? (error as { data?: unknown }).data : undefined
  const status = isObject(data) ? data['status'] : undefined
  return typeof status === 'number' ? status : undefined
}

/** The JSON-RPC error in the body of an HTTP error. */
function findAnsweredError(error: unknown): { code?: number; message: string; data?: unknown } | undefined {
  const { text } = (error as { data: { text?: unknown } }).data
  try {
    const body: unknown = JSON.parse(String(text))
    const inner = isObject(body) && isObject(body['error']) ? body['error'] : body
    return isObject(inner) && typeof inner['message'] === 'string' ? (inner as { message: string }) : undefined
  } catch {
    return undefined
  }
}
