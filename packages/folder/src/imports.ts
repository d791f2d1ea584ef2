// Which file of the tools imports which, and the version that each import gets. Files outside of
// the folders keep their version until they, or what they import, have changed: so what they hold,
// such as a pool, stays, and only what has changed takes memory again.
export interface ImportedFile {
  /** Outside of all tools folders. */
  readonly isElsewhere: boolean
  /** The version in its URL: a number of `nextGeneration`, or 0 for the URL without one. */
  version: number
  /** Of the helpers that import it, or that it is one of: what it imports from a folder gets it. */
  generation: number
  /** Of what was loaded; '' if it is missing, undefined until it is loaded for a tool file. */
  hash: string | undefined
  /** Whether a program had loaded it by `require` before. */
  readonly isOfProgram: boolean
  readonly imports: Set<string>
  isImported: boolean
}

/** Of the process, as Node's modules are. By real path. */
const files = new Map<string, ImportedFile>()

const listeners = new Set<() => void>()

/** Calls back when a file elsewhere is imported for the first time. @returns stops that */
export function onFirstImport(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type FileFacts = Pick<ImportedFile, 'isElsewhere' | 'isOfProgram'>

/** Notes a file that is loaded with this generation, or imported by one that is. */
export function noteFile(path: string, generation: number, facts: FileFacts): ImportedFile {
  let file = files.get(path)
  if (file === undefined) {
    file = { ...facts, version: 0, generation, hash: undefined, imports: new Set(), isImported: false }
    files.set(path, file)
    if (file.isElsewhere) for (const listener of listeners) listener()
  }
  // One elsewhere keeps its version until `renew` gives it another.
  if (!file.isElsewhere) file.version = file.generation = generation
  return file
}

export function noteImport(importer: string, path: string, file: ImportedFile): void {
  file.isImported = true
  files.get(importer)?.imports.add(path)
}

export const findFile = (path: string): ImportedFile | undefined => files.get(path)

/** Whether a change of it counts: what the program has loaded before the tools is shared with it. */
export const isReadAnew = (file: ImportedFile | undefined): boolean =>
  file?.isElsewhere === true && !file.isOfProgram && file.hash !== undefined

/** Whether another file has imported this one. */
export const isImported = (path: string): boolean => files.get(path)?.isImported === true

/** What the files that `isStart` selects import from elsewhere, however deep. */
export function listElsewhere(isStart: (path: string) => boolean): readonly string[] {
  const found = new Set([...files.keys()].filter(isStart))
  for (const path of found) for (const imported of files.get(path)?.imports ?? []) found.add(imported)
  return [...found].filter(path => files.get(path)?.isElsewhere)
}

/**
 * Gives a new version to files elsewhere that have changed, and to those that import one of them,
 * or something of a folder, whose files all get a new version.
 *
 * @returns those with a new version
 */
export function renew(
  changed: Iterable<string>,
  generation: number,
  isOfFolder: (path: string) => boolean,
): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const [path, { imports }] of files)
    for (const imported of imports) importers.set(imported, [...(importers.get(imported) ?? []), path])
  const stale = new Set([...changed, ...[...files.keys()].filter(isOfFolder)])
  for (const path of stale) for (const importer of importers.get(path) ?? []) stale.add(importer)
  const renewed = [...stale].filter(path => isReadAnew(files.get(path)))
  for (const path of renewed) {
    const file = files.get(path)!
    file.version = file.generation = generation
  }
  return renewed
}
