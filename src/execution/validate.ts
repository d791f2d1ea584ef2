// Step: do the arguments fit the tool's schema? Neither coerced nor trimmed. Faults are named by path, never by value.
import type { JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean.ts'
import type { Tool } from '../registry/tool.ts'
import { cut } from './error-text.ts'
import { ToolFailure } from './failure.ts'

const MAX_FAULTS = 10
const MAX_TEXT = 1000

/**
 * The arguments without a `_meta` that some clients put there for their traces, beside the one of the request: if the
 * tool does not know it and would refuse it. One further down belongs to the tool.
 */
export function withoutStrayMeta(tool: Tool, args: JsonObject): JsonObject {
  if (tool.declaresMeta || !Object.hasOwn(args, '_meta') || tool.input.isValid(args)) return args
  const { _meta: _dropped, ...rest } = args
  return rest
}

/** @throws ToolFailure `invalid_arguments` with the first ten faults */
export function validate(tool: Tool, args: unknown): void {
  if (tool.input.isValid(args)) return
  const faults = tool.input.faults(args, MAX_FAULTS).map(({ path, expected }) => `${path} ${expected}`)
  // The paths hold names that the client made up.
  const text = cleanText(`Invalid arguments for ${tool.name}: ${faults.join('; ')}`).replace(/\s+/g, ' ')
  throw new ToolFailure('invalid_arguments', cut(text, MAX_TEXT))
}
