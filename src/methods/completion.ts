// completion/complete. Spec 2026-07-28: server/utilities/completion.
import { McpError } from '../protocol/errors.ts'
import { CompleteParams } from '../protocol/schemas/methods.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Complete, Prompt } from '../registry/prompt.ts'
import type { Resource } from '../registry/resource.ts'
import { hasCompletions } from './discover.ts'
import type { Method } from './method.ts'
import { findResource } from './resources.ts'
import { runHandler } from './run-handler.ts'

const MAX_VALUES = 100

export const complete: Method<'catalog' | 'executor' | 'access' | 'hooks'> = {
  params: CompleteParams,
  isOffered: hasCompletions,
  serve(exchange, { catalog, executor, access, hooks }) {
    const { ref, argument, context } = exchange.params as CompleteParams
    const isVisible = (entry: Prompt | Resource) => hooks.isVisible(entry, exchange.caller, exchange)
    const target =
      ref.type === 'ref/prompt'
        ? findPromptTarget(catalog, ref.name, isVisible)
        : findResourceTarget(catalog, ref.uri, isVisible)
    access.assertMay(exchange.caller, target.entry)
    const suggest = target.suggest(argument.name)
    const { [argument.name]: _, ...others } = target.variables
    return runHandler(executor, exchange, 'completion', {
      use: target.entry.use,
      handler: () => suggest?.(argument.value, { ...others, ...context?.arguments }) ?? [],
      shape: returned => ({ resultType: 'complete', completion: toCompletion(returned) }),
    })
  },
}

/** The prompt or resource whose argument is completed. */
interface CompletionTarget {
  readonly entry: Prompt | Resource
  /** Variables whose value the URI already fixes. */
  readonly variables: Readonly<Record<string, string>>
  /** @returns undefined without suggestions @throws McpError INVALID_ARGUMENTS (-32602) */
  suggest(argument: string): Complete | undefined
}

type IsVisible = (entry: Prompt | Resource) => boolean

function findPromptTarget(catalog: Catalog, name: string, isVisible: IsVisible): CompletionTarget {
  const prompt = catalog.prompts.find(name)
  if (prompt === undefined || !isVisible(prompt)) throw new McpError('UNKNOWN_PROMPT', name)
  const suggest = (argument: string) => {
    const found = prompt.arguments.find(candidate => candidate.name === argument)
    if (found === undefined) throw new McpError('INVALID_ARGUMENTS', `${argument} is not an argument of ${name}`)
    return found.complete
  }
  return { entry: prompt, variables: {}, suggest }
}

/** @param uri a listed template, or a URI that one serves */
function findResourceTarget(catalog: Catalog, uri: string, isVisible: IsVisible): CompletionTarget {
  const template = catalog.templates.find(uri)
  const found = template === undefined ? findConcrete(catalog, uri) : { resource: template, variables: {} }
  if (found === undefined || !isVisible(found.resource))
    throw new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })
  const { resource, variables } = found
  const suggest = (argument: string) => {
    if (resource.template === undefined) return undefined
    if (!resource.template.names.includes(argument))
      throw new McpError('INVALID_ARGUMENTS', `${argument} is not a variable of ${uri}`)
    return Object.hasOwn(resource.complete, argument) ? resource.complete[argument] : undefined
  }
  return { entry: resource, variables, suggest }
}

// Only templates contain braces. A template that is not listed must not match another one.
const findConcrete = (catalog: Catalog, uri: string) => (/[{}]/.test(uri) ? undefined : findResource(catalog, uri))

function toCompletion(returned: unknown): { values: string[]; total: number; hasMore: boolean } {
  if (!Array.isArray(returned) || !returned.every(value => typeof value === 'string')) {
    throw new Error('complete must return an array of strings')
  }
  return { values: returned.slice(0, MAX_VALUES), total: returned.length, hasMore: returned.length > MAX_VALUES }
}
