// Revision 2024-10-07, the first draft: a tool's result is one JSON value, `toolResult`; an error says why in `data.reason`.
import type { JsonObject } from '../messages.ts'
import { revision20241105 } from './2024-11-05.ts'
import type { ErrorBody, Revision } from './revision.ts'

export const revision20241007: Revision = Object.freeze({
  ...revision20241105,
  version: '2024-10-07',
  shape(method: string, result: JsonObject): JsonObject {
    const shaped = revision20241105.shape(method, result)
    // From the newest shape, since the steps between have no structure left.
    return method === 'tools/call' ? withToolResult(shaped, result['structuredContent']) : shaped
  },
  shapeError: (error: ErrorBody): ErrorBody =>
    error.data === undefined ? { ...error, data: { reason: error.message } } : error,
})

function withToolResult({ content, isError, ...rest }: JsonObject, structured: unknown): JsonObject {
  const blocks = content as JsonObject[]
  if (isError === true) return { ...rest, toolResult: { error: blocks.map(textOf).join('\n') } }
  return { ...rest, toolResult: toolResultOf(blocks, structured) }
}

function toolResultOf(blocks: JsonObject[], structured: unknown): unknown {
  const text = blocks.length === 1 && blocks[0]!['type'] === 'text' ? blocks[0]!['text'] : undefined
  if (structured === undefined) return blocks.length === 0 ? null : (text ?? blocks)
  // Content that says more than the structure stays beside it.
  const saysMore = blocks.length > 0 && text !== JSON.stringify(structured)
  return saysMore ? { content: blocks, structuredContent: structured } : structured
}

const textOf = (block: JsonObject) => (block['type'] === 'text' ? block['text'] : JSON.stringify(block))
