// Where the entries of the tools folders come from: the file, and the definition in it.
import type { CatalogEntry, Definition } from '../catalog.ts'
import { fileName } from './tool-roots.ts'

interface Source {
  readonly file: string
  /** As the file has it. */
  readonly definition: unknown
  /** What is put in its place. */
  readonly put: Definition
}

export class EntrySources {
  readonly #sources = new WeakMap<CatalogEntry, Source>()

  add(entry: CatalogEntry, source: Source): void {
    this.#sources.set(entry, source)
  }

  /** The definition to put for an entry of a file. */
  getDefinition(entry: CatalogEntry): Definition {
    return this.#sources.get(entry)!.put
  }

  /** The name of the file that has, or had, the entry. */
  findFileName(entry: CatalogEntry): string {
    const source = this.#sources.get(entry)
    return source === undefined ? 'the program' : fileName(source.file)
  }

  /** Whether two entries are the same as written: what their code calls may differ. */
  areSameAsWritten(one: CatalogEntry, other: CatalogEntry): boolean {
    const [before, after] = [this.#sources.get(one), this.#sources.get(other)]
    if (before === undefined || after === undefined || before.file !== after.file || one.json !== other.json)
      return false
    const text = toText(before.definition)
    return text !== undefined && text === toText(after.definition)
  }
}

/** Schemas are compared as they are listed: those of a library are no JSON. */
const SCHEMAS = ['inputSchema', 'outputSchema']

/** @returns undefined if it cannot be told */
function toText(definition: unknown): string | undefined {
  try {
    return JSON.stringify(definition, (key, value: unknown) => {
      if (typeof value === 'function') return Function.prototype.toString.call(value)
      return SCHEMAS.includes(key) ? undefined : value
    })
  } catch {
    return undefined
  }
}
