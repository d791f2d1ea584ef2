// prompts/list and prompts/get. Spec 2026-07-28: server/prompts.
import { toKnownBlock } from '../protocol/blocks.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { GetPromptParams } from '../protocol/schemas/methods.ts'
import { findBlockIssue, findMetaIssue } from '../registry/content.ts'
import type { Prompt } from '../registry/prompt.ts'
import { hasPrompts } from './discover.ts'
import { listMethod } from './lists.ts'
import type { Method } from './method.ts'
import { callHooked, runHandler } from './run-handler.ts'

export const listPrompts = listMethod({
  member: 'prompts',
  findEntries: ({ prompts }) => prompts,
  isOffered: hasPrompts,
})

export const getPrompt: Method<'catalog' | 'executor' | 'access' | 'hooks'> = {
  params: GetPromptParams,
  target: { kind: 'prompt', param: 'name', find: (name, { prompts }) => prompts.find(name) },
  isOffered: hasPrompts,
  serve(exchange, { catalog, executor, access, hooks }) {
    const { name, arguments: args = {} } = exchange.params as GetPromptParams
    const prompt = catalog.prompts.find(name)
    if (prompt === undefined || !hooks.isVisible(prompt, exchange.caller, exchange))
      throw new McpError('UNKNOWN_PROMPT', name)
    access.assertMay(exchange.caller, prompt)
    checkArguments(prompt, args)
    return runHandler(executor, exchange, name, {
      use: prompt.use,
      handler: ctx =>
        callHooked({
          hooks: [...hooks.onGetPrompt, ...prompt.onGetPrompt],
          ctx,
          value: args,
          describe: given => ({ prompt: prompt.info, arguments: given }),
          handler: (given, own) => prompt.handler({ ...given }, own),
        }),
      shape: returned => ({ resultType: 'complete', ...toPromptResult(prompt, returned) }),
    })
  },
}

function checkArguments(prompt: Prompt, args: Record<string, string>): void {
  const missing = prompt.arguments.filter(({ name, required }) => required && !Object.hasOwn(args, name))
  if (missing.length > 0)
    throw new McpError('INVALID_ARGUMENTS', `${missing.map(({ name }) => name).join(', ')} is required`)
  const known = new Set(prompt.arguments.map(({ name }) => name))
  const unknown = Object.keys(args).filter(name => !known.has(name))
  if (unknown.length > 0)
    throw new McpError('INVALID_ARGUMENTS', `${unknown.join(', ')} is not an argument of this prompt`)
}

function toPromptResult(prompt: Prompt, returned: unknown): JsonObject {
  const { description } = prompt
  if (typeof returned === 'string') {
    return { description, messages: [{ role: 'user', content: { type: 'text', text: returned } }] }
  }
  const result = Array.isArray(returned) ? { messages: returned } : returned
  if (!isObject(result) || !Array.isArray(result['messages'])) throw new Error('returned neither text nor messages')
  const messages = result['messages'].map(checkedMessage)
  const { _meta } = result
  const fault = findMetaIssue(_meta)
  if (fault !== undefined) throw new Error(fault)
  return { description: result['description'] ?? description, messages, ...(_meta !== undefined && { _meta }) }
}

function checkedMessage(message: JsonObject | undefined, index: number): JsonObject {
  const { role, content } = message ?? {}
  if (role !== 'user' && role !== 'assistant') throw new Error(`messages.${index}.role must be user or assistant`)
  const fault = findBlockIssue(content)
  if (fault !== undefined) throw new Error(`messages.${index}.content${fault}`)
  return { role, content: toKnownBlock(content) }
}
