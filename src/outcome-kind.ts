// How a call can end without a result of its own: with `isError`, told apart by its kind.

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
