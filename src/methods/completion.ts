// completion/complete. Spec 2026-07-28: server/utilities/completion.
import { McpError } from '../protocol/errors.ts'
import { CompleteParams } from '../protocol/schemas/methods.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Complete, Prompt } from '../registry/prompt.ts'
import type { Resource } from '../registry/resource.ts'
import { askHandler } from './ask-handler.ts'
import type { Method } from './method.ts'
import { findResource } from './resources.ts'

const MAX_VALUES = 100

export const complete: Method = {
  params: CompleteParams,
  serve(exchange, { catalog, executor, access }) {
    const { ref, argument, context } = exchange.params as CompleteParams
    const target = ref.type === 'ref/prompt' ? promptNamed(catalog, ref.name) : resourceNamed(catalog, ref.uri)
    access.assertMay(exchange.caller, target.entry)
    const suggest = target.suggest(argument.name)
    const { [argument.name]: _, ...others } = target.variables
    return askHandler(executor, exchange, 'completion', {
      handler: () => suggest?.(argument.value, { ...others, ...context?.arguments }) ?? [],
      shape: returned => ({ resultType: 'complete', completion: completionOf(returned) }),
    })
  },
}

/** Whose argument is completed. */
interface Target {
  readonly entry: Prompt | Resource
  /** Those that a URI settles. */
  readonly variables: Readonly<Record<string, string>>
  /** @returns undefined where there are no suggestions @throws McpError INVALID_ARGUMENTS (-32602) */
  suggest(argument: string): Complete | undefined
}

function promptNamed(catalog: Catalog, name: string): Target {
  const prompt = catalog.prompts.find(name)
  if (prompt === undefined) throw new McpError('UNKNOWN_PROMPT', name)
  const suggest = (argument: string) => {
    const found = prompt.arguments.find(candidate => candidate.name === argument)
    if (found === undefined) throw new McpError('INVALID_ARGUMENTS', `${argument} is not an argument of ${name}`)
    return found.complete
  }
  return { entry: prompt, variables: {}, suggest }
}

/** @param uri a template as it is listed, or what it serves */
function resourceNamed(catalog: Catalog, uri: string): Target {
  const template = catalog.templates.find(uri)
  const found = template === undefined ? findConcrete(catalog, uri) : { resource: template, variables: {} }
  if (found === undefined) throw new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })
  const { resource, variables } = found
  const suggest = (argument: string) => {
    if (resource.template === undefined) return undefined
    if (!resource.template.names.includes(argument))
      throw new McpError('INVALID_ARGUMENTS', `${argument} is not a variable of ${uri}`)
    return Object.hasOwn(resource.complete, argument) ? resource.complete[argument] : undefined
  }
  return { entry: resource, variables, suggest }
}

// Braces are in templates only, and another template is not served by this one.
const findConcrete = (catalog: Catalog, uri: string) => (/[{}]/.test(uri) ? undefined : findResource(catalog, uri))

function completionOf(returned: unknown): { values: string[]; total: number; hasMore: boolean } {
  if (!Array.isArray(returned) || !returned.every(value => typeof value === 'string')) {
    throw new Error('complete must return an array of strings')
  }
  return { values: returned.slice(0, MAX_VALUES), total: returned.length, hasMore: returned.length > MAX_VALUES }
}
