// The response to one request: JSON-RPC text and HTTP status.
import { encodeResult, type KeptResult, type ServerMeta } from '../protocol/encode.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject, RequestId } from '../protocol/messages.ts'
import type { ErrorBody, Revision } from '../protocol/revisions/index.ts'
import type { Exchange } from './exchange.ts'
import type { Served } from './served.ts'

/** An answer over HTTP: status and JSON. */
export interface Answer {
  readonly status: number
  readonly json: string
  readonly retryAfterS?: number | undefined
  readonly challenge?: string | undefined
  /** Default: `application/json`. */
  readonly mediaType?: string
}

/** @returns undefined if the method answers on the stream of the request */
export function encodeAnswer(
  served: Served<JsonObject | KeptResult>,
  exchange: Pick<Exchange, 'id' | 'method' | 'revision'>,
  serverMeta: ServerMeta,
): Answer | undefined {
  const { id, revision } = exchange
  switch (served.kind) {
    case 'detached':
      return undefined
    case 'error':
      return createErrorAnswer(served.error, id, revision)
    case 'result':
      return createResultAnswer(id, encodeResult(served.result, exchange, served.serverMeta ?? serverMeta))
    case 'questions':
      return createResultAnswer(id, encodeResult(toInputRequired(served), exchange, serverMeta))
  }
}

/** Spec 2026-07-28: basic/patterns/mrtr, "InputRequiredResult". */
export const toInputRequired = ({
  inputRequests,
  requestState,
}: Extract<Served, { kind: 'questions' }>): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  requestState,
})

const createResultAnswer = (id: RequestId, resultJson: string): Answer => ({
  status: 200,
  json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`,
})

/**
 * Errors other than McpError are bugs and get a fixed text. An unreadable id is left out.
 * @param revision of the caller, if known; codes and statuses differ
 */
export function createErrorAnswer(error: unknown, id: RequestId | null | undefined, revision?: Revision): Answer {
  const known = asMcpError(error)
  const json = JSON.stringify({ jsonrpc: '2.0', id, error: createErrorBody(known, revision) })
  const { retryAfterS, challenge } = known
  return { status: revision?.errors[known.reason]?.status ?? known.status, json, retryAfterS, challenge }
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
