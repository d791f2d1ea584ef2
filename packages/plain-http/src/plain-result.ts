// The result of a tool for readers without MCP: one JSON text with all of it, or only its texts.
import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult, ContentBlock, JsonObject } from 'toolrack'
import { toText } from 'toolrack/protocol'

type PlainResult = Pick<CallToolResult, 'content' | 'structuredContent' | '_meta'>

export interface ResultJsonOptions {
  /** Replaces a content block, such as a link that gets a URL. */
  readonly toOutput?: (block: ContentBlock) => unknown
  /** Whether the only text is known to be an object or a list, on one line. */
  readonly isJsonText?: boolean | undefined
}

/**
 * On one line. The structure, if the result has nothing else. The object or list in its only text,
 * with numbers as they are written. Else `{ content, structuredContent, _meta }`, without the text
 * that repeats the structure.
 */
export function toResultJson(
  result: PlainResult,
  { toOutput = block => block, isJsonText = false }: ResultJsonOptions = {},
): string {
  const { structuredContent } = result
  const content = listOwnBlocks(result)
  const _meta = findOwnMeta(result)
  if (_meta === undefined && structuredContent !== undefined && content.length === 0)
    return JSON.stringify(structuredContent)
  const [only] = content
  if (_meta === undefined && structuredContent === undefined && content.length === 1 && only?.type === 'text') {
    if (isJsonText) return only.text
    if (isContainer(only.text)) return joinLines(only.text)
  }
  return JSON.stringify({ content: content.map(toOutput), structuredContent, _meta })
}

/**
 * The texts of the tool and of its files, one below the other, without the JSON that repeats its
 * structure. If there are none, that JSON.
 *
 * @returns undefined if it has neither
 */
export function toResultText(result: PlainResult): string | undefined {
  const own = listTexts(listOwnBlocks(result))
  const texts = own.length > 0 ? own : listTexts(result.content)
  return texts.length === 0 ? undefined : texts.join('\n')
}

const listTexts = (content: readonly ContentBlock[]): readonly string[] => content.flatMap(block => toText(block) ?? [])

/** All blocks except the text that repeats the structure as JSON. */
export function listOwnBlocks({ content, structuredContent }: PlainResult): readonly ContentBlock[] {
  if (structuredContent === undefined) return content
  const json = JSON.stringify(structuredContent)
  // Compares with the JSON of the structure, whose numbers may be kept as they are written.
  let written: unknown
  const isJson = (text: string) => {
    const value = text === json ? undefined : parse(text)
    return text === json || (value !== undefined && isDeepStrictEqual(value, (written ??= JSON.parse(json))))
  }
  return content.filter(block => block.type !== 'text' || !isJson(block.text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isContainer = (text: string) => /^\s*[[{]/.test(text) && parse(text) !== undefined

// Only white space of JSON can hold a line break, and an event of a stream must not contain one.
const joinLines = (json: string) => json.trim().replace(/[\r\n]+/g, ' ')

/** Without the members that the server adds to each result. */
export function findOwnMeta({ _meta }: Pick<PlainResult, '_meta'>): JsonObject | undefined {
  const own = Object.entries(_meta ?? {}).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}
