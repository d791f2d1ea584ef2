// How a request ended, in the few words that an audit is searched for; the exact reason is the `kind` beside it.
import type { CancelReason } from '../cancellation.ts'
import type { Outcome } from '../execution/execute.ts'
import { ToolFailure } from '../execution/failure.ts'
import { type ErrorName, McpError } from '../protocol/errors.ts'

export type AuditOutcome =
  | 'ok'
  | 'input_required'
  | 'task'
  | 'streaming'
  | 'isError'
  | 'denied'
  | 'limited'
  | 'cancelled'
  | 'timed_out'
  | 'refused'
  | 'error'

export interface Ending {
  readonly outcome: AuditOutcome
  /** The kind of a tool's failure, the row of the error catalogue, or who cancelled. */
  readonly kind?: string | undefined
}

type Kind = Outcome['kind'] | 'task'

const OF_KIND: Readonly<Record<Kind, AuditOutcome>> = {
  ok: 'ok',
  input_required: 'input_required',
  task: 'task',
  tool_error: 'isError',
  invalid_arguments: 'isError',
  invalid_output: 'isError',
  denied: 'denied',
  limited: 'limited',
  busy: 'limited',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
}

/** Rows of the catalogue that are more than a refusal. */
const OF_ROW: { readonly [N in ErrorName]?: AuditOutcome } = {
  UNAUTHENTICATED: 'denied',
  INSUFFICIENT_SCOPE: 'denied',
  FORBIDDEN_ORIGIN: 'denied',
  FORBIDDEN_HOST: 'denied',
  RATE_LIMITED: 'limited',
  BUSY: 'limited',
  HANDLER_FAILED: 'error',
  INTERNAL_ERROR: 'error',
}

export const OK: Ending = Object.freeze({ outcome: 'ok' })
export const STREAMING: Ending = Object.freeze({ outcome: 'streaming' })

/**
 * @param isError whether the tool itself says that its result is a failure
 * @param cancelled why, where it was
 */
export function endingOf(kind: Kind = 'ok', isError: boolean, cancelled: CancelReason | undefined): Ending {
  if (kind === 'ok') return isError ? { outcome: 'isError', kind: 'tool_error' } : OK
  if (kind === 'cancelled') return { outcome: 'cancelled', kind: cancelled }
  return { outcome: OF_KIND[kind], kind: kind === 'denied' ? 'INSUFFICIENT_SCOPE' : kind }
}

export function endingOfError(error: unknown, cancelled?: CancelReason): Ending {
  if (!(error instanceof McpError)) return { outcome: 'error', kind: 'INTERNAL_ERROR' }
  // A prompt or a resource has no `isError`: what stopped it is the cause.
  if (error.cause instanceof ToolFailure) return endingOf(error.cause.kind, false, cancelled)
  return { outcome: OF_ROW[error.reason] ?? 'refused', kind: error.reason }
}

/** The same in one word of few, for metrics: what a tool did wrong is told apart. */
export function labelOf({ outcome, kind }: Ending): string {
  // Older revisions refuse them.
  if (kind === 'INVALID_ARGUMENTS') return 'invalid_arguments'
  return outcome === 'isError' && kind !== undefined ? kind : outcome
}
