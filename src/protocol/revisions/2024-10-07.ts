// Revision 2024-10-07, the first draft: a tool's result is one JSON value, `toolResult`; an error says why in `data.reason`.
import type { JsonObject } from '../messages.ts'
import { revision20241105 } from './2024-11-05.ts'
import { isJsonBlock } from './reshape.ts'
import type { ErrorBody, Revision } from './revision.ts'

/** Where content stands beside a structure: `toolResult` is the structure itself. */
const META_CONTENT = 'toolrack/content'

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
  if (structured === undefined) {
    return { ...rest, toolResult: isError === true ? { error: errorOf(all) } : plainOf(all) }
  }
  const isJson = isJsonBlock(structured)
  // What says more than the structure.
  const more = all.filter(block => !isJson(block))
  if (more.length === 0) return { ...rest, toolResult: isError === true ? { error: errorOf(all) } : structured }
  if (isError === true) return { ...rest, toolResult: { error: errorOf(more), structuredContent: structured } }
  const meta = { ...(rest['_meta'] as JsonObject | undefined), [META_CONTENT]: more }
  return { ...rest, _meta: meta, toolResult: structured }
}

const errorOf = (blocks: JsonObject[]): string => blocks.map(textOf).join('\n')

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
