// Reads what a tool file defines: builds its entries, and refuses each definition that cannot be
// served; the others of the file are served.
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry, Definition } from '../catalog.ts'
import { findDefinitionKind, RegistrationError } from '../definition.ts'
import { loadHints } from '../hints/load.ts'
import { RULES, type ToolHooks } from '../hooks.ts'
import { TOOL_FIELDS } from '../tool.ts'
import { warnOfExports, warnOfMistakes } from '../tool-warnings.ts'
import type { EntrySources } from './entry-sources.ts'
import type { Exported, FileToLoad } from './load.ts'
import { isSameEntry } from './reload-log.ts'
import { readRulesOfTools, withRules } from './rules.ts'
import { fileName } from './tool-roots.ts'

/** What a file defines. */
export interface FileContent {
  readonly entries: readonly CatalogEntry[]
  /** Whether each of its definitions is an entry. */
  readonly isWhole: boolean
  /** Whether a definition cannot be served as it is; what gives way to another can. */
  readonly hasRefused: boolean
  /** What is not served since another file, or the program, has the same. */
  readonly duplicates: readonly CatalogEntry[]
  /** The rules that the file exports. */
  readonly rules: ToolHooks
}

export type FileBeingRead = Pick<FileToLoad<FileContent>, 'file' | 'module' | 'version'>

export interface DefinitionReaderOptions {
  readonly catalog: Catalog
  readonly log: Log
  /** Learns where each entry comes from. */
  readonly sources: EntrySources
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
  /** What else defines the same; undefined if nothing does. */
  findOtherOwner(entry: CatalogEntry, file: string): string | undefined
  onRefused(file: string, thrown: unknown, definition: string | undefined): void
}

export class DefinitionReader {
  readonly #options: DefinitionReaderOptions

  constructor(options: DefinitionReaderOptions) {
    this.#options = options
  }

  /** @throws Error if the file has no definitions */
  read(file: FileBeingRead, exported: Exported): FileContent {
    const { catalog, log } = this.#options
    const definitions = findDefinitions(exported)
    // Also covers an editor that empties a file before it writes.
    if (definitions === undefined) throw findRulesAlone(exported) ?? explainNoDefinitions(exported, file.file)
    const rules = readRulesOfTools(exported, definitions)
    const [built, duplicates]: [CatalogEntry[], CatalogEntry[]] = [[], []]
    for (const definition of definitions) this.#build(file, rules, definition, built, duplicates)
    warnOfExports(log, exported, fileName(file.file))
    const taken = built.length + (this.#options.givesWay ? duplicates.length : 0)
    return {
      // If all tools of a file are excluded, its resources and prompts are not served either.
      entries: catalog.isIncluded(built) ? built : built.filter(({ kind }) => kind === 'tool'),
      isWhole: built.length === definitions.length,
      hasRefused: taken < definitions.length,
      duplicates,
      rules,
    }
  }

  /** Builds what `setup` adds. @throws RegistrationError; Error if something else defines the same */
  buildAdded(file: FileBeingRead, rules: ToolHooks, definition: Definition): CatalogEntry {
    if ((definition as { isolate?: unknown } | undefined)?.isolate) {
      const text =
        'isolate: its process could not find it, since the file does not export it; export it, or leave isolate out'
      throw new RegistrationError('tool', (definition as { name?: unknown }).name, text)
    }
    const entry = this.#buildEntry(file, rules, definition)
    const owner = this.#options.findOtherOwner(entry, file.file)
    if (owner !== undefined) throw createDuplicateError(entry, owner)
    this.#warn(file, entry, definition)
    return entry
  }

  /** Builds a definition and adds it to one of the lists, unless it is invalid. */
  #build(
    fileBeingRead: FileBeingRead,
    rules: ToolHooks,
    definition: unknown,
    built: CatalogEntry[],
    duplicates: CatalogEntry[],
  ): void {
    const { givesWay, findOtherOwner, onRefused } = this.#options
    const { file } = fileBeingRead
    try {
      const entry = this.#buildEntry(fileBeingRead, rules, definition)
      if (built.some(isSameEntry(entry))) throw createDuplicateError(entry, 'the same file')
      const owner = findOtherOwner(entry, file)
      if (owner !== undefined) {
        duplicates.push(entry)
        if (givesWay) return
        throw createDuplicateError(entry, owner)
      }
      built.push(entry)
      this.#warn(fileBeingRead, entry, definition)
    } catch (thrown) {
      onRefused(file, thrown, findName(definition))
    }
  }

  #buildEntry({ file, module, version }: FileBeingRead, rules: ToolHooks, definition: unknown): CatalogEntry {
    const { catalog, sources } = this.#options
    const entry = version.track(withRules(catalog.build(definition, module), rules))
    sources.add(entry, { file, definition })
    return entry
  }

  #warn({ file }: FileBeingRead, entry: CatalogEntry, definition: unknown): void {
    const { catalog, log } = this.#options
    if (entry.kind === 'tool' && catalog.isIncluded([entry])) warnOfMistakes(log, entry, definition, fileName(file))
  }
}

/** A file exports rules and no definitions: they may be meant for all tools, and hold for none. */
export class RulesAlone extends Error {
  readonly rules: readonly string[]

  constructor(rules: readonly string[]) {
    super(`exports ${rules.join(' and ')}, and hooks are read from _hooks.ts only; rename it to that`)
    this.rules = rules
  }
}

function findRulesAlone(exported: Exported): RulesAlone | undefined {
  const rules = RULES.filter(rule => Object.hasOwn(exported, rule))
  return rules.length === 0 || loadHints().hasNamedDefinitions(exported, TOOL_FIELDS)
    ? undefined
    : new RulesAlone(rules)
}

const explainNoDefinitions = (exported: Exported, file: string) =>
  new Error(loadHints().explainNoDefinitions({ exported, file, fields: TOOL_FIELDS }))

/** The name may be a getter that throws, or no string. */
function findName(definition: unknown): string | undefined {
  try {
    const { name } = definition as { name?: unknown }
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

export const createDuplicateError = ({ kind, key }: CatalogEntry, owner: string) =>
  new Error(`${kind} ${key} is already defined in ${owner}; rename or remove one`)

/** @returns undefined if the default export holds no definitions */
function findDefinitions({ default: exported }: Exported): readonly unknown[] | undefined {
  return Array.isArray(exported) ? exported : findDefinitionKind(exported) && [exported]
}
