// Step: what a handler returned → the parts of a tool result, told apart by shape. Nothing is read deeply here.
import { isObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import { ToolFailure } from './failure.ts'

/** The parts of a result as the handler gave them. */
export interface Draft {
  readonly content: readonly unknown[] | undefined
  readonly structured: unknown
  readonly hasStructured: boolean
  readonly isError: boolean
  readonly meta: unknown
}

const draft = (parts: Partial<Draft>): Draft => ({
  content: undefined,
  structured: undefined,
  hasStructured: false,
  isError: false,
  meta: undefined,
  ...parts,
})

/** @throws ToolFailure `invalid_output` where the shape is none that a tool may return */
export function normalise(tool: Tool, returned: unknown): Draft {
  if (isWhole(returned, tool.output !== undefined)) return fromWhole(tool, returned)
  if (tool.output !== undefined) return draft({ structured: returned, hasStructured: true })
  if (returned === undefined) return draft({ content: [] })
  if (typeof returned === 'string') return draft({ content: [{ type: 'text', text: returned }] })
  if (isBlock(returned)) return draft({ content: [returned] })
  if (Array.isArray(returned) && areBlocks(returned)) return draft({ content: returned })
  return draft({ structured: returned })
}

type Whole = { content?: unknown; structuredContent?: unknown; isError?: unknown; _meta?: unknown }

// With an output schema a value may have a member `content` of its own; then only more of a result's members tell.
function isWhole(value: unknown, isStructured: boolean): value is Whole {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'content'))
    return false
  return !isStructured || Object.hasOwn(value, 'structuredContent') || Object.hasOwn(value, 'isError')
}

function fromWhole(tool: Tool, whole: Whole): Draft {
  const { content, structuredContent, isError, _meta } = whole
  if (!Array.isArray(content)) throw invalid(tool, 'content must be an array of content blocks')
  if (isError !== undefined && typeof isError !== 'boolean') throw invalid(tool, 'isError must be a boolean')
  if (_meta !== undefined && !isObject(_meta)) throw invalid(tool, '_meta must be an object')
  return draft({
    content,
    structured: structuredContent,
    hasStructured: structuredContent !== undefined,
    isError: isError === true,
    meta: _meta,
  })
}

// By index, which stops at the first hole of an array that is longer than what it holds.
function areBlocks(values: readonly unknown[]): boolean {
  for (let index = 0; index < values.length; index++) if (!isBlock(values[index])) return false
  return values.length > 0
}

function isBlock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'type')) return false
  switch ((value as { type: unknown }).type) {
    case 'text':
      return Object.hasOwn(value, 'text')
    case 'image':
    case 'audio':
      return Object.hasOwn(value, 'data')
    case 'resource_link':
      return Object.hasOwn(value, 'uri')
    case 'resource':
      return Object.hasOwn(value, 'resource')
    default:
      return false
  }
}

export function invalid(tool: Pick<Tool, 'name'>, text: string): ToolFailure {
  return new ToolFailure('invalid_output', `${tool.name} returned an invalid result: ${text}`)
}
