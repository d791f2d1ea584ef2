// A step's own failure.
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { cleanText } from '../registry/clean-text.ts'
import type { Tool } from '../registry/tool.ts'
import type { FailureKind } from '../request/outcome.ts'
import { truncate } from './error-text.ts'

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

// Step: do the arguments fit the tool's schema? Neither coerced nor trimmed. Faults are named by
// path, never by value.

const MAX_ISSUES = 10
const MAX_TEXT = 1000

/**
 * The arguments without a `_meta` that some clients put there for their traces, beside the one of
 * the request: if the tool does not know it and would refuse it. One further down belongs to the
 * tool.
 */
export function withoutMisplacedMeta(tool: Tool, args: JsonObject): JsonObject {
  if (tool.declaresMeta || !Object.hasOwn(args, '_meta') || tool.input.isValid(args)) return args
  const { _meta: _dropped, ...rest } = args
  return rest
}

/** @throws ToolFailure `invalid_arguments` with the first ten faults */
export function validate(tool: Tool, args: unknown): void {
  if (tool.input.isValid(args)) return
  const faults = tool.input.issues(args, MAX_ISSUES).map(({ path, expected }) => `${path} ${expected}`)
  // The paths hold names that the client made up.
  const text = cleanText(`Invalid arguments for ${tool.name}: ${faults.join('; ')}`).replace(/\s+/g, ' ')
  throw new ToolFailure('invalid_arguments', truncate(text, MAX_TEXT))
}
