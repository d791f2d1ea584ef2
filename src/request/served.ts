// The answer to one request as a value, before a door encodes it.
import type { KeptResult, ServerMeta } from '../protocol/encode.ts'
import type { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Exchange } from './exchange.ts'
import type { OutcomeFacts, RequestOutcome } from './outcome.ts'

/** The value that `serve` returns. */
export type Served<Result = JsonObject> =
  | ServedResult<Result>
  /** The client has to repeat its request with the answers. Spec 2026-07-28: basic/patterns/mrtr. */
  | { readonly kind: 'questions'; readonly inputRequests: JsonObject; readonly requestState: string }
  /** Failures other than McpError are bugs; they become INTERNAL_ERROR here. */
  | { readonly kind: 'error'; readonly error: McpError }
  /** The method answers on the sink of the request. */
  | { readonly kind: 'detached' }

/** Facts in addition to a result, for doors that can pass them on. */
export interface ResultFacts extends OutcomeFacts {
  /** Identifies the list as this caller sees it. */
  readonly listDigest?: string
}

/** A result, and facts on how it was made. */
export interface ServedResult<Result = JsonObject> {
  readonly kind: 'result'
  /** In the shape of the newest revision. */
  readonly result: Result
  readonly outcome: RequestOutcome
  readonly facts?: ResultFacts | undefined
  /** Replaces the `_meta` of the server. */
  readonly serverMeta?: ServerMeta | undefined
}

/** The answer of a door, as far as the records of the request need it. */
export interface Encoded {
  /** HTTP status. */
  readonly status?: number | undefined
  /** The text of the body. */
  readonly json?: string | undefined
}

/** Encodes an answer once at most. Pages of lists are not written or read before. */
export type Encode<E extends Encoded | undefined> = (served: Served<JsonObject | KeptResult>, exchange: Exchange) => E
