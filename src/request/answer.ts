// The response to one request: JSON-RPC text and HTTP status.
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import type { ErrorBody, Revision } from '../protocol/revisions/index.ts'
import type { FailureFacts, RequestOutcome } from './outcome.ts'

export interface Answer {
  readonly status: number
  readonly json: string
  readonly retryAfterS?: number | undefined
  readonly challenge?: string | undefined
  /** Default: `application/json`. */
  readonly mediaType?: string
  /** From here on: for doors that do not send JSON-RPC. */
  readonly outcome?: RequestOutcome
  readonly facts?: FailureFacts | undefined
  readonly error?: McpError
}

export function createResultAnswer(
  id: RequestId,
  resultJson: string,
  outcome: RequestOutcome,
  facts: FailureFacts | undefined,
): Answer {
  return { status: 200, json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`, outcome, facts }
}

/**
 * Errors other than McpError are bugs and get a fixed text. An unreadable id is left out.
 * @param revision of the caller, if known; codes and statuses differ
 */
export function createErrorAnswer(error: unknown, id: RequestId | undefined, revision?: Revision): Answer {
  const known = asMcpError(error)
  const json = JSON.stringify({ jsonrpc: '2.0', id, error: createErrorBody(known, revision) })
  const { retryAfterS, challenge } = known
  return { status: revision?.errors[known.reason]?.status ?? known.status, json, retryAfterS, challenge, error: known }
}

/** The error with the code and data of that revision. */
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

/** Whole seconds, 0.5 to 1.5 times `aboutS`, so that clients do not all return at once. */
export function jitterRetryAfter(aboutS: number, random: () => number = Math.random): number {
  return Math.max(1, Math.round(aboutS * (0.5 + random())))
}
