// Reads the definitions of a tool file and builds their entries. A definition that cannot be served is
// refused; the others of the file are served.
import type { Definition, ToolHooks } from 'toolrack'
import {
  type Built,
  type Catalog,
  type CatalogEntry,
  findDefinitionKind,
  getQualifiedKey,
  type Hints,
  isSource,
  type LoadGuard,
  RegistrationError,
  RULES,
  TOOL_FIELDS,
  type ToolModule,
  withOrigin,
} from 'toolrack/definitions'
import type { Log } from 'toolrack/source'
import { type FileFailure, logRefused } from './failures.ts'
import { warnOfLifecycleNames } from './lifecycle-names.ts'
import type { Exported } from './load.ts'
import { readRulesOfTools, withRules } from './rules.ts'
import { fileName } from './tool-roots.ts'

/** The definitions of one version of a file. Its `setup` and its sources may change `built`. */
export interface FileContent {
  readonly built: readonly Built[]
  /** Definitions of the file that cannot be served. */
  readonly refused: readonly FileFailure[]
  /** The rules that the file exports. */
  readonly rules: ToolHooks
}

export interface FileBeingRead {
  readonly file: string
  readonly module: ToolModule
  readonly version: { track<E extends CatalogEntry>(entry: E): E }
}

export interface DefinitionReaderOptions {
  readonly catalog: Catalog
  readonly log: Log
  readonly guard: LoadGuard
}

export class DefinitionReader {
  readonly #options: DefinitionReaderOptions

  constructor(options: DefinitionReaderOptions) {
    this.#options = options
  }

  /**
   * @param definitions the file's exports
   * @param serving the definitions that the file serves now
   */
  read(
    file: FileBeingRead,
    exported: Exported,
    definitions: readonly unknown[],
    serving: readonly Built[],
  ): FileContent {
    const { catalog, log, guard } = this.#options
    const rules = readRulesOfTools(exported, definitions)
    const built = new Map<string, Built>()
    const refused: FileFailure[] = []
    for (const definition of definitions.filter(each => !isSource(each))) {
      try {
        const own = this.#build(file, rules, definition)
        const key = getQualifiedKey(own.entry)
        if (built.has(key)) throw createDuplicateError(own.entry, 'the same file')
        built.set(key, own)
      } catch (thrown) {
        const name = findName(definition)
        const failure = { file: fileName(file.file), reason: guard.explain(thrown), definition: name }
        refused.push(failure)
        logRefused(
          log,
          failure,
          serving.some(({ entry }) => entry.key === name),
        )
      }
    }
    warnOfLifecycleNames(log, exported, fileName(file.file))
    const all = [...built.values()]
    // If all tools of a file are excluded, its resources and prompts are not served either.
    const isIncluded = catalog.isIncluded(all.map(({ entry }) => entry))
    return { built: isIncluded ? all : all.filter(({ entry }) => entry.kind === 'tool'), refused, rules }
  }

  /** Builds a definition that `setup` adds or a source puts. @throws RegistrationError */
  buildAdded(file: FileBeingRead, rules: ToolHooks, definition: Definition): Built {
    if ((definition as { isolate?: unknown } | undefined)?.isolate) {
      const text =
        'isolate: its process could not find it, since the file does not export it; export it, or leave isolate out'
      throw new RegistrationError('tool', (definition as { name?: unknown }).name, text)
    }
    return this.#build(file, rules, definition)
  }

  /** @returns the entry, and the definition to put for it */
  #build({ file, module, version }: FileBeingRead, rules: ToolHooks, written: unknown): Built {
    const { catalog } = this.#options
    const finish = (entry: CatalogEntry) => version.track(withRules(entry, rules))
    const entry = finish(catalog.build(written, module))
    const definition = withOrigin(written as Definition, { file: fileName(file), module, finish })
    catalog.keep(definition, entry)
    return { definition, entry }
  }
}

/** A file exports rules but no definitions. The rules may be meant for all tools, but hold for none. */
export class RulesAlone extends Error {
  readonly rules: readonly string[]

  constructor(rules: readonly string[]) {
    super(`exports ${rules.join(' and ')}, and hooks are read from _hooks.ts only; rename it to that`)
    this.rules = rules
  }
}

/** The error for a file without definitions; it says what the file exports. */
export function explainNoDefinitions(hints: Hints, exported: Exported, file: string): Error {
  const rules = RULES.filter(rule => Object.hasOwn(exported, rule))
  if (rules.length > 0 && !hints.hasNamedDefinitions(exported, TOOL_FIELDS)) return new RulesAlone(rules)
  const fault = 'has no default export that is a tool or an array of tools'
  return new Error(hints.explain({ what: 'no export', file, exported, fields: TOOL_FIELDS }, fault))
}

/** The name may be a getter that throws, or not a string. */
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

/** Definitions, and sources that give some. @returns undefined if the default export contains none */
export function findDefinitions({ default: exported }: Exported): readonly unknown[] | undefined {
  if (Array.isArray(exported)) return exported
  return isSource(exported) || findDefinitionKind(exported) !== undefined ? [exported] : undefined
}
