// Splits what a handler returned into the parts of a tool result, by its shape. Does not look deep.
import { looksLikeBlock } from '../protocol/blocks.ts'
import { isObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import { ToolFailure } from './tool-failure.ts'

export interface Draft {
  readonly content: readonly unknown[] | undefined
  readonly structured: unknown
  readonly hasStructured: boolean
  readonly isError: boolean
  readonly meta: unknown
}

const createDraft = (parts: Partial<Draft>): Draft => ({
  content: undefined,
  structured: undefined,
  hasStructured: false,
  isError: false,
  meta: undefined,
  ...parts,
})

/** @throws ToolFailure `invalid_output` if a tool may not return this shape */
export function normalise(tool: Tool, returned: unknown): Draft {
  if (isWholeResult(returned, tool.output !== undefined)) return fromWholeResult(tool, returned)
  if (tool.output !== undefined) return createDraft({ structured: returned, hasStructured: true })
  if (returned === undefined) return createDraft({ content: [] })
  if (typeof returned === 'string') return createDraft({ content: [{ type: 'text', text: returned }] })
  if (looksLikeBlock(returned)) return createDraft({ content: [returned] })
  if (Array.isArray(returned) && lookLikeBlocks(returned)) return createDraft({ content: returned })
  return createDraft({ structured: returned })
}

type WholeResult = { content?: unknown; structuredContent?: unknown; isError?: unknown; _meta?: unknown }

// With an output schema, the value itself may have a member `content`; a whole result has one more.
export function isWholeResult(value: unknown, isStructured: boolean): value is WholeResult {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'content'))
    return false
  return !isStructured || Object.hasOwn(value, 'structuredContent') || Object.hasOwn(value, 'isError')
}

function fromWholeResult(tool: Tool, whole: WholeResult): Draft {
  const { content, structuredContent, isError, _meta } = whole
  if (!Array.isArray(content)) throw invalidResult(tool, 'content must be an array of content blocks')
  if (isError !== undefined && typeof isError !== 'boolean') throw invalidResult(tool, 'isError must be a boolean')
  if (_meta !== undefined && !isObject(_meta)) throw invalidResult(tool, '_meta must be an object')
  return createDraft({
    content,
    structured: structuredContent,
    hasStructured: structuredContent !== undefined,
    isError: isError === true,
    meta: _meta,
  })
}

// By index, since it stops at the first hole of a sparse array.
function lookLikeBlocks(values: readonly unknown[]): boolean {
  for (let index = 0; index < values.length; index++) if (!looksLikeBlock(values[index])) return false
  return values.length > 0
}

/** @param detail says more than `text`, for the log and for developers */
export function invalidResult({ name }: Pick<Tool, 'name'>, text: string, detail = text): ToolFailure {
  const explain = (fault: string) => `${name} returned an invalid result: ${fault}`
  return new ToolFailure('invalid_output', explain(text), { detail: explain(detail) })
}
