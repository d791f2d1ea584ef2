// All that is served: tools, resources, templates and prompts, each in its registry; added and removed at run time.
import { isObject } from '../protocol/messages.ts'
import type { Changes } from './changes.ts'
import type { Choice } from './choice.ts'
import { type Kind, kindOf, RegistrationError } from './definition.ts'
import type { Isolate } from './isolate.ts'
import type { ToolModule } from './module-hook.ts'
import { buildPrompt, type Prompt, type PromptDefinition } from './prompt.ts'
import { type Entry, Registry } from './registry.ts'
import { missingOf } from './requirements.ts'
import { buildResource, type Resource, type ResourceDefinition } from './resource.ts'
import { buildTool, type Tool } from './tool.ts'
import type { AnyToolDefinition } from './tool-definition.ts'

export type Definition = AnyToolDefinition | ResourceDefinition | PromptDefinition
export type Built = Tool | Resource | Prompt

type RegistryName = 'tools' | 'resources' | 'templates' | 'prompts'

export interface Manner {
  /** Makes the handlers of tools that run in workers; without it such tools are refused. */
  readonly isolate?: Isolate
  /** Tools that need a task can be called without: their client is told of it in words. */
  readonly tellsOfTasks?: boolean
  /** Which tools are wanted; default: all. */
  readonly choice?: Choice
  /** Whether the environment has a variable; default: it has all. */
  readonly hasSetting?: (name: string) => boolean
}

/** What was defined and is not served, as it is. */
export interface Withheld {
  readonly entry: Built
  /** What the environment lacks, such as `A or B`; empty where nobody wants the tool. */
  readonly missing: readonly string[]
}

export class Catalog {
  readonly tools: Registry<Tool>
  readonly resources: Registry<Resource>
  readonly templates: Registry<Resource>
  readonly prompts: Registry<Prompt>
  readonly #manner: Manner
  readonly #offered: Built[] = []
  readonly #withheld = new Map<string, Withheld>()
  #hasTasks = false

  constructor(changes: Changes, manner: Manner = {}) {
    this.#manner = manner
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
      tool: () => buildTool(definition as AnyToolDefinition, { module, ...this.#manner }),
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

  /** Serves what gives way to any definition of its name, and is served again when that is taken away. */
  offer(definitions: readonly Definition[]): void {
    const built = definitions.map(definition => this.build(definition))
    this.#offered.push(...built)
    this.change([], built)
  }

  givesWay(entry: Built): boolean {
    return this.#offered.includes(entry)
  }

  /** Stays true once a tool was served that can be a task. */
  get hasTasks(): boolean {
    return this.#hasTasks
  }

  /** Puts some and takes others away, announcing each list that changed once. */
  change(removed: readonly Built[], added: readonly Built[]): void {
    const isBack = (entry: Built) =>
      !removed.includes(entry) && removed.some(isSame(entry)) && !added.some(isSame(entry))
    const withheld = added.filter(entry => this.#withhold(entry))
    const put = [...added.filter(entry => !withheld.includes(entry)), ...this.#offered.filter(isBack)]
    const gone = [...removed, ...withheld]
    for (const entry of [...removed, ...put]) this.#withheld.delete(nameOf(entry))
    this.#hasTasks ||= put.some(entry => entry.kind === 'tool' && entry.task !== 'forbidden')
    for (const name of ['tools', 'resources', 'templates', 'prompts'] as const) {
      const keys = gone.filter(entry => registryOf(entry) === name).map(entry => entry.key)
      const entries = put.filter(entry => registryOf(entry) === name)
      if (keys.length + entries.length > 0) (this[name] as Registry<Entry>).change(keys, entries)
    }
  }

  isServed(entry: Built): boolean {
    return (this[registryOf(entry)] as Registry<Built>).find(entry.key) === entry
  }

  /** The entry that holds the key of `entry`, served or withheld, if any. */
  holder(entry: Built): Built | undefined {
    return (this[registryOf(entry)] as Registry<Built>).find(entry.key) ?? this.#withheld.get(nameOf(entry))?.entry
  }

  /** In the order of their names. */
  get withheld(): readonly Withheld[] {
    return [...this.#withheld.values()].sort((a, b) => (a.entry.key < b.entry.key ? -1 : 1))
  }

  /** All variables of the environment that tools say they read, of those too that are not served. */
  get toolSettings(): ReadonlySet<string> {
    const tools = [...this.tools.all(), ...this.withheld.map(({ entry }) => entry)].filter(isTool)
    return new Set(tools.flatMap(({ requires, settings }) => [...requires.flat(), ...settings]))
  }

  /** Globs of the operator that no tool matches. */
  get idleGlobs(): readonly string[] {
    const withheld = this.withheld.map(({ entry }) => entry.key)
    return this.#manner.choice?.idle([...this.tools.all().map(({ name }) => name), ...withheld]) ?? []
  }

  /** Keeps aside what is not to be served. @returns whether it was */
  #withhold(entry: Built): boolean {
    if (this.#offered.includes(entry)) return false
    const missing = missingOf(entry.requires, this.#manner.hasSetting ?? (() => true))
    const isWanted = this.isWanted([entry])
    if (missing.length === 0 && isWanted) return false
    this.#withheld.set(nameOf(entry), { entry, missing: isWanted ? missing : [] })
    return true
  }

  /** Whether an operator wants what one file defines: where it has tools, some of them. */
  isWanted(definitions: readonly Built[]): boolean {
    const tools = definitions.filter(({ kind }) => kind === 'tool')
    return tools.length === 0 || tools.some(({ key }) => this.#manner.choice?.has(key) ?? true)
  }
}

const isTool = (entry: Built): entry is Tool => entry.kind === 'tool'
const nameOf = ({ kind, key }: Built) => `${kind} ${key}`
const isSame = (entry: Built) => (other: Built) => other.kind === entry.kind && other.key === entry.key

/** The scopes of all that only reads, sorted: resources, prompts, and the tools that say so. */
export function findReadScopes({ tools, resources, templates, prompts }: Catalog): readonly string[] {
  const ofTools = tools.all().flatMap(({ isReadOnly, scopes }) => (isReadOnly ? scopes : []))
  const ofOthers = [resources, templates, prompts].flatMap(({ scopes }) => scopes)
  return [...new Set([...ofTools, ...ofOthers])].sort()
}

function registryOf(entry: Built): RegistryName {
  if (entry.kind === 'tool') return 'tools'
  if (entry.kind === 'prompt') return 'prompts'
  return entry.template === undefined ? 'resources' : 'templates'
}
