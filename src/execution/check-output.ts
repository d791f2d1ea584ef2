// Checks the sanitised result: well-formed blocks, structured content that fits its schema, size.
// Spec 2026-07-28: server/tools, "Tool Result".

import { type ContentBlock, toKnownBlock } from '../protocol/blocks.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { isSameJson } from '../protocol/same-json.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import { findBlockIssue, findMetaIssue } from '../registry/content.ts'
import type { Tool } from '../registry/tool.ts'
import type { OutcomeFacts } from '../request/outcome.ts'
import { invalidResult } from './normalise.ts'
import { type CleanDraft, resultTooLarge } from './sanitise.ts'

/**
 * A number is counted as two bytes but may take 25 with its comma, and structured content is
 * repeated as text. Smaller results than this share of the bound need no exact count.
 */
const WORST_GROWTH = 26

/** @throws ToolFailure `invalid_output` with the path of the issue, never the value */
export function checkOutput(tool: Tool, draft: CleanDraft, maxBytes: number): CallToolResult {
  const result: CallToolResult = { resultType: 'complete', content: checkContent(tool, draft) }
  if (draft.hasStructured) {
    if (!draft.isError) checkStructured(tool, draft.structured)
    result.structuredContent = draft.structured
  } else if (tool.output !== undefined && !draft.isError) {
    throw invalidResult(tool, 'structuredContent is missing, and the tool has an outputSchema')
  }
  if (draft.isError) result.isError = true
  if (draft.meta !== undefined) result._meta = checkMeta(tool, draft.meta)
  const isNear = draft.bytes * WORST_GROWTH > maxBytes
  if (isNear && countResultBytes(result) > maxBytes) throw resultTooLarge(tool, maxBytes)
  if (draft.hasStructured && draft.content !== undefined && !(tool.hasOwnText && draft.content.length > 0))
    addStructureAsText(result, isNear ? maxBytes : undefined)
  return result
}

/** Facts for doors, so that none parses a text again to learn that it is JSON. */
export function findFacts({ content, structured }: CleanDraft): OutcomeFacts | undefined {
  return content === undefined && typeof structured === 'object' && structured !== null ? JSON_TEXT : undefined
}

const JSON_TEXT: OutcomeFacts = { isJsonText: true }

/**
 * For content that stands alone: removes a structure that this revision would send as text beside it.
 */
export function withoutUnsentStructure(result: CallToolResult, { structures }: Revision): CallToolResult {
  const { structuredContent, ...rest } = result
  const isSent = structures === 'any' || (structures === 'objects' && isObject(structuredContent))
  return isSent || result.content.length === 0 ? result : rest
}

/**
 * Adds the structured content as a JSON text block, for clients that read only content. Omits it if
 * a text block has it already, or if the result would exceed `maxBytes`.
 * Spec 2026-07-28: server/tools, "Structured Content".
 */
function addStructureAsText(result: CallToolResult, maxBytes: number | undefined): void {
  const { content, structuredContent } = result
  const json = JSON.stringify(structuredContent)
  if (content.some(block => block.type === 'text' && isSameJson(block.text, structuredContent, json))) return
  const told: ContentBlock[] = [...content, { type: 'text', text: json }]
  if (maxBytes === undefined || countResultBytes({ ...result, content: told }) <= maxBytes) result.content = told
}

function checkContent(tool: Tool, { content, structured }: CleanDraft): ContentBlock[] {
  if (content === undefined) return [{ type: 'text', text: JSON.stringify(structured) }]
  // It may be changed, since `sanitise` has made a copy.
  const blocks = content as unknown as ContentBlock[]
  for (let index = 0; index < blocks.length; index++) {
    const block: unknown = blocks[index]
    if (isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && hasTwoMembers(block))
      continue
    const fault = findBlockIssue(block)
    if (fault !== undefined) throw invalidResult(tool, `content.${index}${fault}`)
    blocks[index] = toKnownBlock(block)
  }
  return blocks
}

function hasTwoMembers(block: object): boolean {
  let members = 0
  for (const _key in block) members++
  return members === 2
}

function checkMeta(tool: Tool, meta: JsonObject): JsonObject {
  const fault = findMetaIssue(meta)
  if (fault !== undefined) throw invalidResult(tool, fault)
  return meta
}

function checkStructured(tool: Tool, structured: JsonValue | undefined): void {
  if (tool.output === undefined || tool.output.isValid(structured)) return
  const faults = tool.output.issues(structured, 3).map(({ path, expected }) => `${path} ${expected}`)
  throw invalidResult(tool, `structuredContent ${faults.join('; ')}`)
}

const countResultBytes = (result: CallToolResult) => Buffer.byteLength(JSON.stringify(result))
