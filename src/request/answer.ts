// The answer to one request: a JSON-RPC response as text, and the HTTP status beside it.
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import type { ErrorBody, Revision } from '../protocol/revisions/index.ts'

export interface Answer {
  readonly status: number
  readonly json: string
  /** Seconds for `Retry-After`. */
  readonly retryAfterS?: number | undefined
  /** For `WWW-Authenticate`. */
  readonly challenge?: string | undefined
}

/** @param resultJson the result, already JSON */
export function createResultAnswer(id: RequestId, resultJson: string): Answer {
  return { status: 200, json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}` }
}

/**
 * What is not an McpError is a fault of ours: it gets a fixed text. Without a readable id the member is left out.
 *
 * @param revision of the caller, where that is known: codes and statuses differ
 */
export function createErrorAnswer(error: unknown, id: RequestId | undefined, revision?: Revision): Answer {
  const known = asMcpError(error)
  const json = JSON.stringify({ jsonrpc: '2.0', id, error: createErrorBody(known, revision) })
  const { retryAfterS, challenge } = known
  return { status: revision?.errors[known.reason]?.status ?? known.status, json, retryAfterS, challenge }
}

/** What that revision tells of an error. */
export function createErrorBody(error: unknown, revision?: Revision): ErrorBody {
  const known = asMcpError(error)
  const change = revision?.errors[known.reason]
  const body = {
    code: change?.code ?? known.code,
    message: known.message,
    data: change?.dropsData ? undefined : known.data,
  }
  return revision === undefined ? body : revision.shapeError(body)
}

const asMcpError = (error: unknown) => (error instanceof McpError ? error : new McpError('INTERNAL_ERROR'))

// When those who were refused together should come back: not together.

/** A whole number of seconds, evenly spread from half of `aboutS` to half more. */
export function jitterRetryAfter(aboutS: number, random: () => number = Math.random): number {
  return Math.max(1, Math.round(aboutS * (0.5 + random())))
}
