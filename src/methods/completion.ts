// completion/complete. Spec 2026-07-28: server/utilities/completion.
import { McpError } from '../protocol/errors.ts'
import { CompleteParams } from '../protocol/schemas/methods.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Complete } from '../registry/prompt.ts'
import { askHandler } from './ask-handler.ts'
import type { Method } from './method.ts'

const MAX_VALUES = 100

export const complete: Method = {
  params: CompleteParams,
  serve(exchange, { catalog, executor, access }) {
    const { ref, argument, context } = exchange.params as CompleteParams
    const completed =
      ref.type === 'ref/prompt'
        ? catalog.prompts.find(ref.name)
        : (catalog.templates.find(ref.uri) ?? catalog.resources.find(ref.uri))
    if (completed !== undefined) access.assertMay(exchange.caller, completed)
    const suggest =
      ref.type === 'ref/prompt'
        ? ofPrompt(catalog, ref.name, argument.name)
        : ofTemplate(catalog, ref.uri, argument.name)
    return askHandler(executor, exchange, 'completion', {
      handler: () => suggest?.(argument.value, context?.arguments ?? {}) ?? [],
      shape: returned => ({ resultType: 'complete', completion: completionOf(returned) }),
    })
  },
}

function ofPrompt(catalog: Catalog, name: string, argument: string): Complete | undefined {
  const prompt = catalog.prompts.find(name)
  if (prompt === undefined) throw new McpError('UNKNOWN_PROMPT', name)
  const found = prompt.arguments.find(candidate => candidate.name === argument)
  if (found === undefined) throw new McpError('INVALID_ARGUMENTS', `${argument} is not an argument of ${name}`)
  return found.complete
}

function ofTemplate(catalog: Catalog, uri: string, argument: string): Complete | undefined {
  const template = catalog.templates.find(uri)
  if (template === undefined) {
    if (catalog.resources.find(uri) !== undefined) return undefined
    throw new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })
  }
  if (!template.template?.names.includes(argument))
    throw new McpError('INVALID_ARGUMENTS', `${argument} is not a variable of ${uri}`)
  return Object.hasOwn(template.complete, argument) ? template.complete[argument] : undefined
}

function completionOf(returned: unknown): { values: string[]; total: number; hasMore: boolean } {
  if (!Array.isArray(returned) || !returned.every(value => typeof value === 'string')) {
    throw new Error('complete must return an array of strings')
  }
  return { values: returned.slice(0, MAX_VALUES), total: returned.length, hasMore: returned.length > MAX_VALUES }
}
