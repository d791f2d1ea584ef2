// Step: a clean draft → the tool result, each block well-formed, structured content as its schema says, not too large.
// Spec 2026-07-28: server/tools, "Tool Result".
import { isObject, type JsonObject, type JsonValue } from '../protocol/messages.ts'
import type { CallToolResult, ContentBlock } from '../protocol/schemas/results.ts'
import { faultOfBlock } from '../registry/blocks.ts'
import { faultOfMeta } from '../registry/meta-keys.ts'
import type { Tool } from '../registry/tool.ts'
import { invalid } from './normalise.ts'
import { type CleanDraft, tooLarge } from './sanitise.ts'

/** Six bytes at worst for a character, and structured content again, escaped, as text: below this share no count is needed. */
const WORST_GROWTH = 20

/** @throws ToolFailure `invalid_output` naming the path that is wrong, never the value */
export function checkOutput(tool: Tool, draft: CleanDraft, maxBytes: number): CallToolResult {
  const result: CallToolResult = { resultType: 'complete', content: contentOf(tool, draft) }
  if (draft.hasStructured) {
    if (!draft.isError) checkStructured(tool, draft.structured)
    result.structuredContent = draft.structured
  } else if (tool.output !== undefined && !draft.isError) {
    throw invalid(tool, 'structuredContent is missing, and the tool has an outputSchema')
  }
  if (draft.isError) result.isError = true
  if (draft.meta !== undefined) result._meta = checkedMeta(tool, draft.meta)
  if (draft.bytes * WORST_GROWTH > maxBytes) assertSize(tool, result, maxBytes)
  return result
}

function contentOf(tool: Tool, { content, structured }: CleanDraft): ContentBlock[] {
  if (content === undefined) return [{ type: 'text', text: JSON.stringify(structured) }]
  for (let index = 0; index < content.length; index++) {
    const block = content[index]
    if (isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && hasTwoMembers(block))
      continue
    const fault = faultOfBlock(block)
    if (fault !== undefined) throw invalid(tool, `content.${index}${fault}`)
  }
  return content as unknown as ContentBlock[]
}

function hasTwoMembers(block: object): boolean {
  let members = 0
  for (const _key in block) members++
  return members === 2
}

function checkedMeta(tool: Tool, meta: JsonObject): JsonObject {
  const fault = faultOfMeta(meta)
  if (fault !== undefined) throw invalid(tool, fault)
  return meta
}

function checkStructured(tool: Tool, structured: JsonValue | undefined): void {
  if (tool.output === undefined || tool.output.isValid(structured)) return
  const faults = tool.output.faults(structured, 3).map(({ path, expected }) => `${path} ${expected}`)
  throw invalid(tool, `structuredContent ${faults.join('; ')}`)
}

function assertSize(tool: Tool, result: CallToolResult, maxBytes: number): void {
  if (Buffer.byteLength(JSON.stringify(result)) > maxBytes) throw tooLarge(tool, maxBytes)
}
