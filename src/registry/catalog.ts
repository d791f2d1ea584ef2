// All tools, resources, templates and prompts of a server, which change at run time.
import picomatch from 'picomatch'
import { isObject } from '../protocol/messages.ts'
import { describeValue } from '../text/describe-value.ts'
import type { ChangeEmitter } from './changes.ts'
import {
  type DefinitionKind,
  ExplainableError,
  findDefinitionKind,
  findMissing,
  listVariables,
  RegistrationError,
} from './definition.ts'
import { findOrigin, findPin } from './derive.ts'
import { type Hints, NO_HINTS } from './hints.ts'
import type { Isolate, ToolModule } from './isolate.ts'
import { buildPrompt, type Prompt, type PromptDefinition } from './prompt.ts'
import { type Entry, Registry } from './registry.ts'
import { buildResource, type Resource, type ResourceDefinition } from './resource.ts'
import type { ReadLibrarySchema } from './schemas.ts'
import { buildTool, TOOL_FIELDS, type Tool } from './tool.ts'
import type { ToolDefinition } from './tool-definition.ts'

export interface ToolFilter {
  includes(name: string): boolean
  /** Globs that match no name, so they are probably typos. */
  findUnmatched(names: readonly string[]): readonly string[]
}

/** @param include globs of names to serve; undefined serves all that is not excluded */
export function createToolFilter(include: readonly string[] | undefined, exclude: readonly string[] = []): ToolFilter {
  const isIncluded = include === undefined ? () => true : createMatcher(include)
  const isExcluded = createMatcher(exclude)
  return {
    includes: name => isIncluded(name) && !isExcluded(name),
    findUnmatched: names =>
      [...(include ?? []), ...exclude].filter(glob => !names.some(name => createMatcher([glob])(name))),
  }
}

const createMatcher = (globs: readonly string[]) => picomatch([...globs], { dot: true })

/** A tool, a resource or a prompt, as its author writes it. */
export type Definition = ToolDefinition | ResourceDefinition | PromptDefinition
export type CatalogEntry = Tool | Resource | Prompt

type RegistryName = 'tools' | 'resources' | 'templates' | 'prompts'

/** The parts of definitions that packages implement. */
export interface DefinitionParts {
  /** Default: reads JSON Schema alone. */
  readonly readLibrarySchema?: ReadLibrarySchema
  /** Default: none. */
  readonly hints?: Hints
}

export interface CatalogOptions extends DefinitionParts {
  /** Creates the handlers of tools that run in processes of their own; without it such tools are refused. */
  readonly isolate?: Isolate
  /** If true, a tool that requires a task may be called without; it returns a text instead. */
  readonly hasTaskFallback?: boolean
  /** Default: all tools. */
  readonly toolFilter?: ToolFilter
  /** Whether the environment has a variable; default: true for all. */
  readonly hasSetting?: (name: string) => boolean
  /** Scopes of definitions that name none themselves; default: none. */
  readonly requiredScopes?: readonly string[] | undefined
}

/** A valid definition that is not served. */
export interface DisabledEntry {
  readonly entry: CatalogEntry
  /** Missing variables, such as `A or B`; empty if the operator has excluded the tool. */
  readonly missing: readonly string[]
}

export class Catalog {
  readonly tools: Registry<Tool>
  readonly resources: Registry<Resource>
  readonly templates: Registry<Resource>
  readonly prompts: Registry<Prompt>
  readonly hints: Hints
  readonly #changes: ChangeEmitter
  readonly #options: CatalogOptions
  readonly #exempt = new WeakSet<CatalogEntry>()
  readonly #disabled = new Map<string, DisabledEntry>()
  /** The entry that was built from each definition. */
  #built = new WeakMap<object, CatalogEntry>()
  #hasTasks = false

  constructor(changes: ChangeEmitter, options: CatalogOptions = {}) {
    this.#changes = changes
    this.#options = options
    this.hints = options.hints ?? NO_HINTS
    this.tools = new Registry(() => changes.publish({ kind: 'tools' }))
    this.resources = new Registry(() => changes.publish({ kind: 'resources' }))
    this.templates = new Registry(() => changes.publish({ kind: 'resources' }))
    this.prompts = new Registry(() => changes.publish({ kind: 'prompts' }))
  }

  /**
   * Returns the same entry for the same definition object, so that unchanged entries are not announced.
   *
   * @param module the file of the definition, if it is known
   * @throws RegistrationError naming the definition and the issue
   */
  build(definition: unknown, module?: ToolModule): CatalogEntry {
    if (module !== undefined || !isObject(definition)) return this.#build(definition, module)
    const known = this.#built.get(definition)
    if (known !== undefined) return known
    const origin = findOrigin(definition)
    const entry = withPin(this.#build(definition, origin?.module), findPin(definition))
    const finished = (origin?.finish?.(entry) as CatalogEntry | undefined) ?? entry
    this.#built.set(definition, finished)
    return finished
  }

  /** Makes a definition stand for an entry that exists already. */
  keep(definition: Definition, entry: CatalogEntry): void {
    this.#built.set(definition, entry)
  }

  /** Forgets the entry of a definition, which may have changed; the next build makes a new one. */
  forget(definition: unknown): void {
    if (isObject(definition)) this.#built.delete(definition)
  }

  #build(definition: unknown, module: ToolModule | undefined): CatalogEntry {
    const kind = findDefinitionKind(definition)
    const name = isObject(definition) ? definition['name'] : undefined
    const build: Record<DefinitionKind, () => CatalogEntry> = {
      tool: () => buildTool(definition as ToolDefinition, { module, ...this.#options }),
      resource: () => buildResource(definition as ResourceDefinition),
      prompt: () => buildPrompt(definition as PromptDefinition),
    }
    try {
      assertHandler(kind, name, definition)
      return withRequiredScopes(build[kind](), this.#options.requiredScopes)
    } catch (cause) {
      if (cause instanceof ExplainableError) throw cause.explain(this.hints.explain)
      if (cause instanceof RegistrationError) throw cause
      // Not JSON, such as a circular schema.
      throw new RegistrationError(kind ?? 'tool', name, cause instanceof Error ? cause.message : String(cause), {
        cause,
      })
    }
  }

  /** Serves these definitions whatever tools the operator has chosen. */
  exempt(definitions: readonly Definition[]): void {
    for (const definition of definitions) this.#exempt.add(this.build(definition))
  }

  /** Stays true once a tool that supports tasks was served. */
  get hasTasks(): boolean {
    return this.#hasTasks
  }

  /** Removes and adds entries, and announces each changed list once. */
  change(removed: readonly CatalogEntry[], added: readonly CatalogEntry[]): void {
    for (const entry of removed) this.#disabled.delete(getQualifiedKey(entry))
    const disabled = new Set(added.filter(entry => this.#disableIfUnwanted(entry)))
    const put = added.filter(entry => !disabled.has(entry))
    const gone = [...removed, ...disabled]
    for (const entry of put) this.#disabled.delete(getQualifiedKey(entry))
    this.#hasTasks ||= put.some(entry => entry.kind === 'tool' && entry.task !== 'forbidden')
    for (const name of ['tools', 'resources', 'templates', 'prompts'] as const) {
      const keys = gone.filter(entry => findRegistryName(entry) === name).map(entry => entry.key)
      const entries = put.filter(entry => findRegistryName(entry) === name)
      if (keys.length + entries.length > 0) (this[name] as Registry<Entry>).change(keys, entries)
    }
  }

  /** Announces that callers may see other entries of a kind, although the entries are the same. */
  announce(kind: DefinitionKind): void {
    const lists = {
      tool: this.tools.size,
      prompt: this.prompts.size,
      resource: this.resources.size + this.templates.size,
    }
    if (lists[kind] > 0) this.#changes.publish({ kind: `${kind}s` })
  }

  /** Notifies the subscribers of a resource. @throws TypeError if that is not a URI */
  announceUpdate(uri: string): void {
    if (typeof uri !== 'string') throw new TypeError(`resourceUpdated takes a URI, not ${describeValue(uri)}`)
    this.#changes.publish({ kind: 'updated', uri })
  }

  /** The served entry with this name, or of this definition. */
  find(what: string | Definition): CatalogEntry | undefined {
    const { kind, key } = identify(what)
    if (kind === 'tool') return this.tools.find(key)
    return kind === 'prompt' ? this.prompts.find(key) : (this.resources.find(key) ?? this.templates.find(key))
  }

  isServed(entry: CatalogEntry): boolean {
    return (this[findRegistryName(entry)] as Registry<CatalogEntry>).find(entry.key) === entry
  }

  /** Sorted by name. */
  get disabled(): readonly DisabledEntry[] {
    return [...this.#disabled.values()].sort((a, b) => (a.entry.key < b.entry.key ? -1 : 1))
  }

  /** All environment variables that tools declare, including disabled tools. */
  get toolSettings(): ReadonlySet<string> {
    const tools = [...this.tools.all(), ...this.disabled.map(({ entry }) => entry)].filter(isTool)
    return new Set(tools.flatMap(listVariables))
  }

  get unmatchedGlobs(): readonly string[] {
    const disabled = this.disabled.map(({ entry }) => entry.key)
    return this.#options.toolFilter?.findUnmatched([...this.tools.all().map(({ name }) => name), ...disabled]) ?? []
  }

  /** Stores an entry that is not to be served. @returns whether it did */
  #disableIfUnwanted(entry: CatalogEntry): boolean {
    if (this.#exempt.has(entry)) return false
    const missing = this.#findMissing(entry)
    const isWanted = this.isIncluded([entry])
    if (missing.length === 0 && isWanted) return false
    this.#disabled.set(getQualifiedKey(entry), { entry, missing: isWanted ? missing : [] })
    return true
  }

  /** Whether the entry would be served. */
  isWanted(entry: CatalogEntry): boolean {
    return this.isIncluded([entry]) && this.#findMissing(entry).length === 0
  }

  /** The variables that an entry lacks; none if the operator has excluded it. */
  findNeeds(entry: CatalogEntry): readonly string[] {
    return this.isIncluded([entry]) ? this.#findMissing(entry) : []
  }

  #findMissing({ requires }: CatalogEntry): readonly string[] {
    return findMissing(requires, this.#options.hasSetting ?? (() => true))
  }

  /**
   * Whether the operator wants the definitions of a file: it has no tools, or at least one is
   * included.
   */
  isIncluded(definitions: readonly CatalogEntry[]): boolean {
    const tools = definitions.filter(({ kind }) => kind === 'tool')
    return tools.length === 0 || tools.some(({ key }) => this.#options.toolFilter?.includes(key) ?? true)
  }
}

/** @param what the name of a tool, or a definition */
export function identify(what: string | Definition): Pick<CatalogEntry, 'kind' | 'key'> {
  if (typeof what === 'string') return { kind: 'tool', key: what }
  const { name, uri, uriTemplate } = what as { name: string; uri?: string; uriTemplate?: string }
  const kind = findDefinitionKind(what) ?? 'tool'
  return { kind, key: kind === 'resource' ? (uri ?? uriTemplate ?? '') : name }
}

function assertHandler(
  kind: DefinitionKind | undefined,
  name: unknown,
  value: unknown,
): asserts kind is DefinitionKind {
  if (kind === undefined)
    throw new ExplainableError('tool', name, 'has no handler', { what: 'no definition', value, fields: TOOL_FIELDS })
  const definition = value as object
  const isInherited = 'handler' in definition && !Object.hasOwn(definition, 'handler')
  const fault = 'inherits its handler, and only members of its own count'
  if (isInherited) throw new ExplainableError(kind, name, fault, { what: 'inherited handler', definition })
}

const isTool = (entry: CatalogEntry): entry is Tool => entry.kind === 'tool'
/** Unique among all kinds of entries. */
export const getQualifiedKey = ({ kind, key }: Pick<CatalogEntry, 'kind' | 'key'>): string => `${kind} ${key}`

/**
 * The sorted scopes of resources, prompts and read-only tools.
 *
 * @param isPublic whether strangers may learn of an entry
 */
export function findReadScopes(
  { tools, resources, templates, prompts }: Catalog,
  isPublic: (entry: CatalogEntry) => boolean,
): readonly string[] {
  const readers = tools.all().filter(({ isReadOnly }) => isReadOnly)
  const entries = [...readers, ...resources.all(), ...templates.all(), ...prompts.all()]
  return [...new Set(entries.filter(isPublic).flatMap(({ scopes }) => scopes))].sort()
}

function withRequiredScopes(entry: CatalogEntry, scopes: readonly string[] = []): CatalogEntry {
  if (scopes.length === 0 || entry.scopes.length > 0) return entry
  return Object.freeze({ ...entry, scopes, info: Object.freeze({ ...entry.info, scopes }) }) as CatalogEntry
}

const withPin = (entry: CatalogEntry, pin: number | undefined): CatalogEntry =>
  pin === undefined ? entry : Object.freeze({ ...entry, pin })

function findRegistryName(entry: CatalogEntry): RegistryName {
  if (entry.kind === 'tool') return 'tools'
  if (entry.kind === 'prompt') return 'prompts'
  return entry.template === undefined ? 'resources' : 'templates'
}
