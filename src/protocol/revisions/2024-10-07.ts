// Revision 2024-10-07, the first draft: `toolResult` is one JSON value, errors explain in
// `data.reason`.
import type { JsonObject } from '../messages.ts'
import type { FirstRevision } from './chain.ts'
import { isJsonBlock } from './reshape.ts'

/** Holds the content if `toolResult` holds the structured content. */
const META_CONTENT = 'toolrack/content'

export const revision20241007: FirstRevision = {
  version: '2024-10-07',
  methods: [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
  ],
  facts: {
    era: 'legacy',
    mirrorsParams: false,
    includesServerInfo: false,
    refusesInvalidArguments: true,
    refusesMissingCapabilities: false,
    takesBatches: false,
    hasNullIds: true,
    // As `toolResult`.
    structures: 'any',
    isSessionOptional: false,
    primesStreams: false,
    tasks: undefined,
    hasProgressMessages: false,
    clientFeatures: new Set(['roots', 'sampling', 'sampling.context']),
    cancelsQuestions: false,
    // Clients read 404 as a lost session, so errors of a request that was understood are HTTP 200.
    errors: {
      METHOD_NOT_FOUND: { status: 200 },
      INVALID_PARAMS: { status: 200 },
      INTERNAL_ERROR: { status: 200 },
      RESOURCE_NOT_FOUND: { code: -32002 },
      MISSING_CAPABILITY: { code: -32600, status: 200, dropsData: true },
    },
  },
  // Uses the newest shape: the steps between have removed `structuredContent`.
  finish: (method, result, newest) =>
    method === 'tools/call' ? withToolResult(result, newest['structuredContent']) : result,
  shapeError: error => (error.data === undefined ? { ...error, data: { reason: error.message } } : error),
}

function withToolResult({ content, isError, ...rest }: JsonObject, structured: unknown): JsonObject {
  const all = content as JsonObject[]
  if (structured === undefined) {
    return { ...rest, toolResult: isError === true ? { error: toErrorText(all) } : toPlainResult(all) }
  }
  const isJson = isJsonBlock(structured)
  const more = all.filter(block => !isJson(block))
  if (more.length === 0) return { ...rest, toolResult: isError === true ? { error: toErrorText(all) } : structured }
  if (isError === true) return { ...rest, toolResult: { error: toErrorText(more), structuredContent: structured } }
  const meta = { ...(rest['_meta'] as JsonObject | undefined), [META_CONTENT]: more }
  return { ...rest, _meta: meta, toolResult: structured }
}

const toErrorText = (blocks: JsonObject[]): string => blocks.map(toBlockText).join('\n')

function toPlainResult(blocks: JsonObject[]): unknown {
  if (blocks.length === 0) return null
  const { type, text } = blocks[0]!
  return blocks.length === 1 && type === 'text' ? parseIfJson(text as string) : blocks
}

// Later revisions get a tool's object as JSON text; this one gets the object.
function parseIfJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : text
  } catch {
    return text
  }
}

const toBlockText = (block: JsonObject) => (block['type'] === 'text' ? block['text'] : JSON.stringify(block))
