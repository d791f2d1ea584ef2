// How a request ended: one word of few, and the exact reason beside it.
import { ToolFailure } from '../execution/tool-failure.ts'
import { type ErrorName, McpError } from '../protocol/errors.ts'
import type { CancelReason } from '../request/cancellation.ts'
import type { OutcomeKind, RequestOutcome } from '../request/outcome.ts'

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
