// How a call can end without a result of its own: an outcome with `isError`, told apart by its kind.

export type FailureKind =
  | 'tool_error'
  | 'invalid_arguments'
  | 'denied'
  | 'limited'
  | 'busy'
  | 'timed_out'
  | 'cancelled'
  | 'invalid_output'

/** Thrown by a step; `execute` turns it into the outcome. The text goes to the model as it is. */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
  readonly kind: FailureKind

  constructor(kind: FailureKind, text: string, options?: ErrorOptions) {
    super(text, options)
    this.kind = kind
  }
}
