// Records which tool files import which files, and which version each import gets. A file outside of
// the folders keeps its version until it, or a file that it imports, changes. So its objects stay,
// such as a pool, and only changed files need memory again.
export interface ImportedFile {
  /** Outside of all tools folders. */
  readonly isElsewhere: boolean
  /** The version in its URL: a number of `nextGeneration`, or 0 for the URL without one. */
  version: number
  /**
   * The generation of the helpers that import it, or to which it belongs. Its imports from a folder
   * get it.
   */
  generation: number
  /** Hash of the loaded file; '' if it is missing, undefined until it is loaded for a tool file. */
  hash: string | undefined
  /** Whether the program had loaded it by `require` before. */
  readonly isOfProgram: boolean
  readonly imports: Set<string>
  isImported: boolean
}

/** The files of the process, by real path: Node has one set of modules, too. */
const files = new Map<string, ImportedFile>()

const listeners = new Set<() => void>()

/** Calls back when an outside file is imported for the first time. @returns stops that */
export function onFirstImport(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type FileFacts = Pick<ImportedFile, 'isElsewhere' | 'isOfProgram'>

/** Records a file that is loaded with this generation, or imported by such a file. */
export function noteFile(path: string, generation: number, facts: FileFacts): ImportedFile {
  let file = files.get(path)
  if (file === undefined) {
    file = { ...facts, version: 0, generation, hash: undefined, imports: new Set(), isImported: false }
    files.set(path, file)
    if (file.isElsewhere) for (const listener of listeners) listener()
  }
  // An outside file keeps its version until `renew` gives it another.
  if (!file.isElsewhere) file.version = file.generation = generation
  return file
}

export function noteImport(importer: string, path: string, file: ImportedFile): void {
  file.isImported = true
  files.get(importer)?.imports.add(path)
}

export const findFile = (path: string): ImportedFile | undefined => files.get(path)

/**
 * Whether its changes count. A file that the program loaded before the tools is shared with the
 * program.
 */
export const isReadAnew = (file: ImportedFile | undefined): boolean =>
  file?.isElsewhere === true && !file.isOfProgram && file.hash !== undefined

/** Whether another file has imported this one. */
export const isImported = (path: string): boolean => files.get(path)?.isImported === true

/** The outside files that the selected files import, at any depth. */
export function listElsewhere(isStart: (path: string) => boolean): readonly string[] {
  const found = new Set([...files.keys()].filter(isStart))
  for (const path of found) for (const imported of files.get(path)?.imports ?? []) found.add(imported)
  return [...found].filter(path => files.get(path)?.isElsewhere)
}

/**
 * Gives a new version to changed outside files. Does the same for outside files that import one of
 * those, or a file of a folder, since all files of folders get a new version.
 *
 * @returns the files with a new version
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
