// The outcomes of requests, calls and tasks, for audit, metrics, traces and log.

import type { Issue } from '@toolrack/json-schema/issues'
import type { ErrorName } from '../protocol/errors.ts'

/** A call without a result of its own; the client receives a text with `isError`. */
export type FailureKind =
  | 'tool_error'
  | 'invalid_arguments'
  | 'denied'
  /** The model has to ask the user for consent, and to call again with a confirmation. */
  | 'unconfirmed'
  | 'limited'
  | 'busy'
  | 'timed_out'
  | 'cancelled'
  | 'invalid_output'

/** Facts on an outcome in addition to its text, for doors that can use them. */
export interface OutcomeFacts {
  /** The issues of the arguments. */
  readonly issues?: readonly Issue[]
  readonly retryAfterS?: number
  /** Whether the only text is JSON that the server has written from the value of the handler. */
  readonly isJsonText?: boolean
  /** The end of the call of a task. */
  readonly taskEnd?: { readonly kind: OutcomeKind } | { readonly reason: ErrorName }
}

export type OutcomeKind = 'ok' | FailureKind

export type RequestOutcome = OutcomeKind | 'input_required' | 'task' | 'streaming' | 'refused' | 'error'

const NO_ERRORS: ReadonlySet<RequestOutcome> = new Set(['ok', 'input_required', 'task', 'streaming'])

export const isNoError = (outcome: RequestOutcome): boolean => NO_ERRORS.has(outcome)
