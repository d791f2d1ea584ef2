// The next set of all files: in their order, the first that defines a name has it.
import { type CatalogEntry, getQualifiedKey } from '../catalog.ts'
import type { FileContent } from './definitions.ts'

/** A file, and the version of it that the set is to have. */
export interface Candidate<F> {
  readonly file: F
  readonly content: FileContent
  /** What the file serves now. */
  readonly serving: readonly CatalogEntry[]
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
}

export interface Duplicate<F> {
  readonly file: F
  readonly entry: CatalogEntry
  /** The file that has it; a text if something else has. */
  readonly owner: F | string
}

export interface NextSet<F> {
  /** What each file is to serve. */
  readonly serving: ReadonlyMap<F, readonly CatalogEntry[]>
  readonly duplicates: readonly Duplicate<F>[]
}

/**
 * @param candidates in the order of the files
 * @param findOwner what else of the server, before the files, has the same
 */
export function composeSet<F extends object>(
  candidates: readonly Candidate<F>[],
  findOwner: (entry: CatalogEntry) => string | undefined,
): NextSet<F> {
  const owners = new Map<string, F>()
  const serving = new Map<F, CatalogEntry[]>(candidates.map(({ file }) => [file, []]))
  const duplicates: Duplicate<F>[] = []
  const own = (file: F, entry: CatalogEntry) => {
    owners.set(getQualifiedKey(entry), file)
    serving.get(file)!.push(entry)
  }
  for (const { file, content } of candidates) {
    for (const entry of content.entries) {
      const owner = findOwner(entry) ?? owners.get(getQualifiedKey(entry))
      if (owner === undefined) own(file, entry)
      else duplicates.push({ file, entry, owner })
    }
  }
  // What a file does not define any more may be a definition of it that is refused: it stays.
  for (const { file, content, serving: before, givesWay } of candidates) {
    const hasDuplicates = !givesWay && duplicates.some(each => each.file === file)
    if (content.refused.length === 0 && !hasDuplicates) continue
    const defined = new Set(content.entries.map(getQualifiedKey))
    for (const entry of before) {
      const isTaken = owners.has(getQualifiedKey(entry)) || defined.has(getQualifiedKey(entry))
      if (!isTaken && findOwner(entry) === undefined) own(file, entry)
    }
  }
  return { serving, duplicates }
}
