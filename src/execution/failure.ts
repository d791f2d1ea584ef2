// A step's own failure.
import type { FailureKind } from '../outcome-kind.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'

/** Thrown by a step; `execute` turns it into the outcome. The text goes to the model as it is. */
export class ToolFailure extends Error {
  override name = 'ToolFailure'
  readonly kind: FailureKind

  constructor(kind: FailureKind, text: string, options?: ErrorOptions) {
    super(text, options)
    this.kind = kind
  }
}

/** What the client gets of it. */
export const failureResult = (text: string): CallToolResult => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
  isError: true,
})
