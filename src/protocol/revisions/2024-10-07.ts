// Revision 2024-10-07, the first draft: a tool's result is one JSON value, `toolResult`; an error says why in `data.reason`.
// No instructions, no annotations, no size of a resource, and no way to take back a request.
import type { JsonObject } from '../messages.ts'
import { revision20241105 } from './2024-11-05.ts'
import { all, blocks, byMethod, each, isJsonBlock, only, sampledBlocks, without } from './reshape.ts'
import { before, type ClientRequest, type ErrorBody, type Revision } from './revision.ts'

/** Where content stands beside a structure: `toolResult` is the structure itself. */
const META_CONTENT = 'toolrack/content'

const entry = ['name', 'description', 'mimeType']

const stepped = before(revision20241105, {
  version: '2024-10-07',
  withdrawsQuestions: false,
  downgrade: byMethod(
    all(blocks(olderBlock), {
      initialize: without('instructions'),
      'resources/list': each('resources', only('uri', ...entry)),
      'resources/templates/list': each('resourceTemplates', only('uriTemplate', ...entry)),
    }),
  ),
  downgradeQuestion,
})

export const revision20241007: Revision = Object.freeze({
  ...stepped,
  shape(method: string, result: JsonObject): JsonObject {
    const shaped = stepped.shape(method, result)
    // From the newest shape, since the steps between have no structure left.
    return method === 'tools/call' ? withToolResult(shaped, result['structuredContent']) : shaped
  },
  shapeError: (error: ErrorBody): ErrorBody =>
    error.data === undefined ? { ...error, data: { reason: error.message } } : error,
})

function olderBlock(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'text':
      return only('type', 'text')(block)
    case 'image':
      return only('type', 'data', 'mimeType')(block)
    default:
      return only('type', 'resource')(block)
  }
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  if (question.method !== 'sampling/createMessage' || question.params === undefined) return question
  return { ...question, params: sampledBlocks(olderBlock)(question.params) }
}

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
