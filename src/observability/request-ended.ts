// The one event of observability: a request has ended. Audit, metrics, spans and log are its
// listeners.

import { ToolFailure } from '../execution/tool-failure.ts'
import { type ErrorName, McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import type { CancelReason } from '../request/cancellation.ts'
import type { Caller, Log } from '../request/exchange.ts'
import type { OutcomeKind, RequestOutcome } from '../request/outcome.ts'

/** The thing that a request names. */
export interface Target {
  readonly kind: 'tool' | 'prompt' | 'uri' | 'task'
  /** A text, in what the protocol allows. */
  readonly name: unknown
  /** Of a tool or a prompt. */
  readonly arguments?: unknown
}

/** Values of which there are few: nothing here is a client's own text. */
export interface Labels {
  readonly method: string
  readonly revision: string
  /** The tool that is called, if it is served. */
  readonly tool: string | undefined
}

export interface RequestEnded {
  /**
   * - `method`: a method was asked for, or its params were refused
   * - `http`: refused before that, or no message at all: GET and DELETE of a session
   * - `task`: a task that its client knows of
   */
  readonly source: 'method' | 'http' | 'task'
  readonly requestId: string
  readonly caller: Caller | undefined
  /** Whose limits count; of a caller that is not verified the address: IPv4, or the /64 of IPv6. */
  readonly clientKey: string
  readonly headers: Headers
  /** Of its span, if it has one. */
  readonly traceparent?: string | undefined
  /** HTTP's, if no message was read. */
  readonly verb?: string | undefined
  readonly method?: string | undefined
  readonly params?: unknown
  /** What it is about, as its client says. */
  readonly target?: Target | undefined
  /** Missing if no method was asked for. */
  readonly labels?: Labels
  readonly taskId?: string | undefined
  readonly ending: Ending
  /** What it was refused with. */
  readonly error?: unknown
  /** HTTP's. */
  readonly status?: number | undefined
  readonly durationMs: number | undefined
  /** How much of that its client took to answer questions. */
  readonly waitedMs?: number
  readonly requestBytes: number | undefined
  /** The answer as text; undefined if a stream goes on. */
  readonly responseJson: string | undefined
  readonly log: Log
}

export type RequestEndedListener = (ended: RequestEnded) => void

/** Tells every listener, in the order in which they were added. */
export class RequestEvents {
  readonly #listeners: RequestEndedListener[] = []

  on(listener: RequestEndedListener): this {
    this.#listeners.push(listener)
    return this
  }

  emit(ended: RequestEnded): void {
    for (const listener of this.#listeners) listener(ended)
  }
}

/** How a request ended: one word of few, and the exact reason beside it. */
export interface Ending {
  readonly outcome: RequestOutcome
  /** The row of the error catalogue, who cancelled, or the outcome itself if it says all. */
  readonly reason?: string | undefined
}

/** Errors of `CATALOGUE` (protocol/errors.ts) that are more than a refusal. */
const OUTCOME_BY_ROW: { readonly [N in ErrorName]?: RequestOutcome } = {
  UNAUTHENTICATED: 'denied',
  INSUFFICIENT_SCOPE: 'denied',
  FORBIDDEN_ORIGIN: 'denied',
  FORBIDDEN_HOST: 'denied',
  RATE_LIMITED: 'limited',
  BUSY: 'busy',
  INVALID_ARGUMENTS: 'invalid_arguments',
  HANDLER_FAILED: 'error',
  INTERNAL_ERROR: 'error',
}

export const OK: Ending = Object.freeze({ outcome: 'ok' })
export const STREAMING: Ending = Object.freeze({ outcome: 'streaming' })

/**
 * @param isError whether the tool itself says that its result is a failure
 * @param cancelled why, if it was cancelled
 */
export function toEnding(
  kind: OutcomeKind | 'input_required' | 'task' = 'ok',
  isError: boolean,
  cancelled: CancelReason | undefined,
): Ending {
  if (kind === 'ok') return isError ? { outcome: 'tool_error', reason: 'tool_error' } : OK
  if (kind === 'cancelled') return { outcome: 'cancelled', reason: cancelled }
  return { outcome: kind, reason: kind === 'denied' ? 'INSUFFICIENT_SCOPE' : kind }
}

/** @param cancelled why, if the request was cancelled */
export function toErrorEnding(error: unknown, cancelled?: CancelReason): Ending {
  if (!(error instanceof McpError)) return { outcome: 'error', reason: 'INTERNAL_ERROR' }
  // A prompt or a resource has no `isError`: what stopped it is the cause.
  if (error.cause instanceof ToolFailure) return toEnding(error.cause.kind, false, cancelled)
  return { outcome: OUTCOME_BY_ROW[error.reason] ?? 'refused', reason: error.reason }
}
