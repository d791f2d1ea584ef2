// How a request, a call or a task ends: the one vocabulary of the audit, the metrics, the traces and the log.

/** A call that has no result of its own; its client gets a text with `isError`. */
export type FailureKind =
  | 'tool_error'
  | 'invalid_arguments'
  | 'denied'
  | 'limited'
  | 'busy'
  | 'timed_out'
  | 'cancelled'
  | 'invalid_output'

export type OutcomeKind = 'ok' | FailureKind

export type RequestOutcome = OutcomeKind | 'input_required' | 'task' | 'streaming' | 'refused' | 'error'

const NO_ERRORS: ReadonlySet<RequestOutcome> = new Set(['ok', 'input_required', 'task', 'streaming'])

/** Not all of these have a result. */
export const isNoError = (outcome: RequestOutcome): boolean => NO_ERRORS.has(outcome)
