// Copies a draft to plain JSON within the size bound, without characters that mislead models and
// terminals. Runs before the output check, so that the checked value is the delivered one.
import type { JsonObject, JsonValue } from '../protocol/messages.ts'
import { JsonCopier, NotJsonError, TooLargeError } from '../registry/json-copy.ts'
import type { Tool } from '../registry/tool.ts'
import { cleanLine, type StripCount } from '../text/clean.ts'
import { type Draft, invalidResult } from './normalise.ts'
import { ToolFailure } from './tool-failure.ts'

export interface CleanDraft {
  readonly content: readonly JsonValue[] | undefined
  readonly structured: JsonValue | undefined
  readonly hasStructured: boolean
  readonly isError: boolean
  readonly meta: JsonObject | undefined
  /** A lower bound of the result's JSON bytes. */
  readonly bytes: number
}

/** Key in `_meta` with the number of removed characters. */
export const META_STRIPPED = 'toolrack/strippedCharacters'

/** @throws ToolFailure `invalid_output` if it is not JSON or larger than `maxBytes` */
export function sanitise(tool: Tool, draft: Draft, maxBytes: number): CleanDraft {
  const tally: StripCount = { stripped: 0 }
  const copier = new JsonCopier({ maxBytes, tally: tool.sanitizes ? tally : undefined })
  try {
    const content = draft.content && (copier.copy(draft.content) as JsonValue[])
    // Without an output schema, a value becomes its JSON as text.
    const structured = content === undefined || draft.hasStructured ? copier.copy(draft.structured) : undefined
    const meta = draft.meta === undefined ? undefined : (copier.copy(draft.meta) as JsonObject)
    return {
      content,
      structured,
      hasStructured: draft.hasStructured,
      isError: draft.isError,
      meta: tally.stripped > 0 ? { ...meta, [META_STRIPPED]: tally.stripped } : meta,
      bytes: copier.bytes,
    }
  } catch (error) {
    if (error instanceof TooLargeError) throw resultTooLarge(tool, maxBytes)
    if (error instanceof NotJsonError) throw invalidResult(tool, cleanLine(error.message).slice(0, 300))
    throw invalidResult(tool, 'reading it threw an error')
  }
}

export function resultTooLarge(tool: Pick<Tool, 'name'>, maxBytes: number): ToolFailure {
  return new ToolFailure('invalid_output', `${tool.name} returned a result that is too large: over ${maxBytes} bytes`)
}
