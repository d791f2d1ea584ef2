// Revision 2024-10-07, the first draft: a tool's result is one JSON value, `toolResult`; an error says why in `data.reason`.
import type { JsonObject } from '../messages.ts'
import { revision20241105 } from './2024-11-05.ts'
import { isJsonBlock } from './reshape.ts'
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
  const all = content as JsonObject[]
  // What says more than the structure stays beside it.
  const isJson = isJsonBlock(structured)
  const more = structured === undefined ? all : all.filter(block => !isJson(block))
  const beside = structured !== undefined && more.length > 0 && { structuredContent: structured }
  if (isError === true) {
    const error = (more.length > 0 ? more : all).map(textOf).join('\n')
    return { ...rest, toolResult: { error, ...beside } }
  }
  if (beside) return { ...rest, toolResult: { content: more, ...beside } }
  return { ...rest, toolResult: structured === undefined ? plainOf(all) : structured }
}

function plainOf(blocks: JsonObject[]): unknown {
  if (blocks.length === 0) return null
  const { type, text } = blocks[0]!
  return blocks.length === 1 && type === 'text' ? parsedOf(text as string) : blocks
}

// Without an output schema an object that a tool returned is told as its JSON; here it was the object.
function parsedOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : text
  } catch {
    return text
  }
}

const textOf = (block: JsonObject) => (block['type'] === 'text' ? block['text'] : JSON.stringify(block))
