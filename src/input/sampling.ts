// What a model is asked, and what it answers: messages of well-formed blocks, in an order that every model takes.
// Spec 2026-07-28: client/sampling, "Message Content Constraints".
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { onlyKnown } from '../protocol/schemas/known.ts'
import {
  CreateMessageParams,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from '../protocol/schemas/questions.ts'
import { faultOfBlock, knownBlock } from '../registry/blocks.ts'
import { firstFault, shape } from './shape.ts'

interface Message {
  readonly role: string
  readonly content: unknown
}

const MESSAGES = 'params.messages'

const request = shape(CreateMessageParams)
const toolUse = shape(ToolUseContent)
const toolResult = shape(ToolResultContent)

export function faultOfSampling(params: unknown): string | undefined {
  const fault = request(params, 'params')
  if (fault !== undefined) return fault
  const messages = (params as { messages: Message[] }).messages
  return (
    firstFault(messages.entries(), ({ content }, index) => faultOfContent(content, `${MESSAGES}.${index}.content`)) ??
    firstFault(messages.entries(), (message, index) => faultOfTurn(message, messages, index))
  )
}

/** Right params with the members that the specification names; tools, and what they were used for, as they are. */
export function knownSampling(params: JsonObject): JsonObject {
  const { messages, tools } = params as { messages: Message[]; tools?: unknown }
  return {
    ...onlyKnown(CreateMessageParams, params),
    messages: messages.map(message => ({ ...onlyKnown(SamplingMessage, message), content: knownContent(message) })),
    ...(tools !== undefined && { tools }),
  }
}

function knownContent({ content }: Message): unknown {
  const known = (block: unknown) => (isOfTools(block as JsonObject) ? block : knownBlock(block))
  return Array.isArray(content) ? content.map(known) : known(content)
}

/** Of one block, or of several. */
export function faultOfContent(content: unknown, path: string): string | undefined {
  if (!Array.isArray(content)) return faultOfSampled(content, path)
  return firstFault(content.entries(), (block, index) => faultOfSampled(block, `${path}.${index}`))
}

export const blocksOf = (content: unknown): JsonObject[] => [content].flat().filter(isObject)

export const isOfTools = ({ type }: JsonObject): boolean => type === 'tool_use' || isResult({ type })

const isResult = ({ type }: JsonObject) => type === 'tool_result'

function faultOfSampled(block: unknown, path: string): string | undefined {
  switch (isObject(block) ? block['type'] : undefined) {
    case 'text':
    case 'image':
    case 'audio':
      return faultOfPlain(block, path)
    case 'tool_use':
      return toolUse(block, path)
    case 'tool_result':
      return (
        toolResult(block, path) ??
        firstFault((block as { content: unknown[] }).content.entries(), (part, index) =>
          faultOfPlain(part, `${path}.content.${index}`),
        )
      )
    default:
      return `${path}.type must be one of text, image, audio, tool_use, tool_result`
  }
}

function faultOfPlain(block: unknown, path: string): string | undefined {
  const fault = faultOfBlock(block)
  return fault === undefined ? undefined : `${path}${fault}`
}

function faultOfTurn({ role, content }: Message, messages: readonly Message[], index: number): string | undefined {
  const blocks = blocksOf(content)
  if (role === 'user' && blocks.some(isResult) && !blocks.every(isResult))
    return `${MESSAGES}.${index}.content must hold only tool results where it holds any`
  const uses = role === 'assistant' ? blocks.filter(({ type }) => type === 'tool_use') : []
  const results = uses.length === 0 ? undefined : resultsIn(messages[index + 1])
  if (uses.every(({ id }) => results?.has(id))) return undefined
  return `${MESSAGES}.${index} uses tools, so a user message with only their results must follow, one for each`
}

function resultsIn(message: Message | undefined): ReadonlySet<unknown> | undefined {
  const blocks = message?.role === 'user' ? blocksOf(message.content) : []
  return blocks.every(isResult) ? new Set(blocks.map(({ toolUseId }) => toolUseId)) : undefined
}
