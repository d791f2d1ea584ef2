// Checks sampling requests and results: well-formed blocks, in an order that every model accepts.
// Spec 2026-07-28: client/sampling, "Message Content Constraints".

import { createIssueFinder, findFirstIssue } from '@toolrack/json-schema/validator'
import { SAMPLED_TYPES, toKnownBlock } from '../protocol/blocks.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { pickKnown } from '../protocol/schemas/common.ts'
import {
  CreateMessageParams,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from '../protocol/schemas/questions.ts'
import { findBlockIssue } from '../registry/content.ts'

interface SamplingTurn {
  readonly role: string
  readonly content: unknown
}

const MESSAGES = 'params.messages'

const findParamsIssue = createIssueFinder(CreateMessageParams)
const findToolUseIssue = createIssueFinder(ToolUseContent)
const findToolResultIssue = createIssueFinder(ToolResultContent)

export function findSamplingIssue(params: unknown): string | undefined {
  const fault = findParamsIssue(params, 'params')
  if (fault !== undefined) return fault
  const messages = (params as { messages: SamplingTurn[] }).messages
  return (
    findFirstIssue(messages.entries(), ({ content }, index) =>
      findContentIssue(content, `${MESSAGES}.${index}.content`),
    ) ?? findFirstIssue(messages.entries(), (message, index) => findTurnIssue(message, messages, index))
  )
}

/** Keeps the members that the specification names; tools and tool blocks stay as they are. */
export function toKnownSampling(params: JsonObject): JsonObject {
  const { messages, tools } = params as { messages: SamplingTurn[]; tools?: unknown }
  return {
    ...pickKnown(CreateMessageParams, params),
    messages: messages.map(message => ({ ...pickKnown(SamplingMessage, message), content: toKnownContent(message) })),
    ...(tools !== undefined && { tools }),
  }
}

function toKnownContent({ content }: SamplingTurn): unknown {
  const known = (block: unknown) => (isToolBlock(block as JsonObject) ? block : toKnownBlock(block))
  return Array.isArray(content) ? content.map(known) : known(content)
}

/** @param content one block, or several */
export function findContentIssue(content: unknown, path: string): string | undefined {
  if (!Array.isArray(content)) return findSampledIssue(content, path)
  return findFirstIssue(content.entries(), (block, index) => findSampledIssue(block, `${path}.${index}`))
}

export const toContentBlocks = (content: unknown): JsonObject[] => [content].flat().filter(isObject)

export const isToolBlock = ({ type }: JsonObject): boolean => type === 'tool_use' || isToolResult({ type })

const isToolResult = ({ type }: JsonObject) => type === 'tool_result'

function findSampledIssue(block: unknown, path: string): string | undefined {
  const type = isObject(block) ? block['type'] : undefined
  if (isSampled(type)) return findPlainBlockIssue(block, path)
  if (type === 'tool_use') return findToolUseIssue(block, path)
  if (type !== 'tool_result')
    return `${path}.type must be one of ${[...SAMPLED_TYPES, 'tool_use', 'tool_result'].join(', ')}`
  return (
    findToolResultIssue(block, path) ??
    findFirstIssue((block as { content: unknown[] }).content.entries(), (part, index) =>
      findPlainBlockIssue(part, `${path}.content.${index}`),
    )
  )
}

const isSampled = (type: unknown) => SAMPLED_TYPES.some(sampled => sampled === type)

function findPlainBlockIssue(block: unknown, path: string): string | undefined {
  const fault = findBlockIssue(block)
  return fault === undefined ? undefined : `${path}${fault}`
}

function findTurnIssue(
  { role, content }: SamplingTurn,
  messages: readonly SamplingTurn[],
  index: number,
): string | undefined {
  const blocks = toContentBlocks(content)
  if (role === 'user' && blocks.some(isToolResult) && !blocks.every(isToolResult))
    return `${MESSAGES}.${index}.content must hold only tool results where it holds any`
  const uses = role === 'assistant' ? blocks.filter(({ type }) => type === 'tool_use') : []
  const results = uses.length === 0 ? undefined : collectToolResultIds(messages[index + 1])
  if (uses.every(({ id }) => results?.has(id))) return undefined
  return `${MESSAGES}.${index} uses tools, so a user message with only their results must follow, one for each`
}

function collectToolResultIds(message: SamplingTurn | undefined): ReadonlySet<unknown> | undefined {
  const blocks = message?.role === 'user' ? toContentBlocks(message.content) : []
  return blocks.every(isToolResult) ? new Set(blocks.map(({ toolUseId }) => toolUseId)) : undefined
}
