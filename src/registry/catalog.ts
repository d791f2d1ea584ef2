// All that is served: tools, resources, templates and prompts, each in its registry; added and removed at run time.
import { isObject } from '../protocol/messages.ts'
import type { Changes } from './changes.ts'
import { type Kind, kindOf, RegistrationError } from './definition.ts'
import type { Isolate } from './isolate.ts'
import type { ToolModule } from './module-hook.ts'
import { buildPrompt, type Prompt, type PromptDefinition } from './prompt.ts'
import { type Entry, Registry } from './registry.ts'
import { buildResource, type Resource, type ResourceDefinition } from './resource.ts'
import { type AnyToolDefinition, buildTool, type Tool } from './tool.ts'

export type Definition = AnyToolDefinition | ResourceDefinition | PromptDefinition
export type Built = Tool | Resource | Prompt

type RegistryName = 'tools' | 'resources' | 'templates' | 'prompts'

export class Catalog {
  readonly tools: Registry<Tool>
  readonly resources: Registry<Resource>
  readonly templates: Registry<Resource>
  readonly prompts: Registry<Prompt>
  readonly #isolate: Isolate | undefined

  /** @param isolate makes the handlers of tools that run in workers; without it such tools are refused */
  constructor(changes: Changes, isolate?: Isolate) {
    this.#isolate = isolate
    this.tools = new Registry(() => changes.publish({ kind: 'tools' }))
    this.resources = new Registry(() => changes.publish({ kind: 'resources' }))
    this.templates = new Registry(() => changes.publish({ kind: 'resources' }))
    this.prompts = new Registry(() => changes.publish({ kind: 'prompts' }))
  }

  /**
   * @param module where the definition comes from, if that is known
   * @throws RegistrationError saying which definition, and what is wrong with it
   */
  build(definition: unknown, module?: ToolModule): Built {
    const kind = kindOf(definition)
    const name = isObject(definition) ? definition['name'] : undefined
    const build: Record<Kind, () => Built> = {
      tool: () => buildTool(definition as AnyToolDefinition, { module, isolate: this.#isolate }),
      resource: () => buildResource(definition as ResourceDefinition),
      prompt: () => buildPrompt(definition as PromptDefinition),
    }
    if (kind === undefined) {
      throw new RegistrationError('tool', name, 'is no definition: it has no handler, or needs defineTool around it')
    }
    try {
      return build[kind]()
    } catch (cause) {
      if (cause instanceof RegistrationError) throw cause
      // What cannot be JSON, such as a schema that holds itself.
      throw new RegistrationError(kind, name, cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }

  /** Puts some and takes others away, announcing each list that changed once. */
  change(removed: readonly Built[], put: readonly Built[]): void {
    for (const name of ['tools', 'resources', 'templates', 'prompts'] as const) {
      const keys = removed.filter(entry => registryOf(entry) === name).map(entry => entry.key)
      const entries = put.filter(entry => registryOf(entry) === name)
      if (keys.length + entries.length > 0) (this[name] as Registry<Entry>).change(keys, entries)
    }
  }

  /** The entry that is served under the key of `entry`, if any. */
  served(entry: Built): Built | undefined {
    return (this[registryOf(entry)] as Registry<Built>).find(entry.key)
  }
}

/** All scopes that something served needs, sorted. */
export function scopesOf({ tools, resources, templates, prompts }: Catalog): readonly string[] {
  return [...new Set([tools, resources, templates, prompts].flatMap(({ scopes }) => scopes))].sort()
}

function registryOf(entry: Built): RegistryName {
  if (entry.kind === 'tool') return 'tools'
  if (entry.kind === 'prompt') return 'prompts'
  return entry.template === undefined ? 'resources' : 'templates'
}
