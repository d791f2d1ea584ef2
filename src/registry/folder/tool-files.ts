// The tool files of all folders: the version that each serves, the one that loads, and the swap of
// what is served for the next set.
import { sep } from 'node:path'
import { type CatalogEntry, getQualifiedKey } from '../catalog.ts'
import type { FileContent } from './definitions.ts'
import type { FileFailure } from './failures.ts'
import type { FileSources } from './file-sources.ts'
import type { FileVersion } from './file-version.ts'
import { type Candidate, composeSet, type Duplicate, type NextSet } from './next-set.ts'
import type { CatalogExchange } from './reload-log.ts'
import type { FolderContents } from './scan.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

/** A version of a file, with what it defines once it is read. */
export interface LoadedFile {
  readonly file: ToolFile
  readonly version: FileVersion
  content?: FileContent
  /** Whether it is known that it has failed. */
  isBroken?: true
}

export interface ToolFile {
  readonly path: string
  readonly root: ToolRoot
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
  /** As it was read; undefined if it is to be loaded again even if unchanged. */
  hash: string | undefined
  /** What it serves is of this one, but for what that fails to define. */
  current?: LoadedFile
  /** It loads, or is to be served with the next swap. */
  newest?: LoadedFile | undefined
  serving: readonly CatalogEntry[]
  /** Why the newest version is not served. */
  failure?: FileFailure | undefined
  /** What the log has said of a version that hangs. */
  hang?: FileFailure | undefined
}

export interface ToolFilesOptions {
  readonly roots: readonly ToolRoot[]
  /** What else of the server, before the files, has the same. */
  readonly findOwner: (entry: CatalogEntry) => string | undefined
  /** Whether it would be served, if nothing hides it. */
  readonly isWanted: (entry: CatalogEntry) => boolean
}

export class ToolFiles {
  readonly #options: ToolFilesOptions
  readonly #files = new Map<string, ToolFile>()
  readonly #versions = new Set<FileVersion>()
  #served: readonly CatalogEntry[] = []
  #duplicates: readonly Duplicate<ToolFile>[] = []

  constructor(options: ToolFilesOptions) {
    this.#options = options
  }

  /** In the order in which they come to their names. */
  get all(): readonly ToolFile[] {
    return [...this.#files.values()]
  }

  /** Whether a file has come to be served. */
  get isAnyServed(): boolean {
    return this.all.some(({ current }) => current !== undefined)
  }

  /** What is served, or would be if it did not lack something. */
  get served(): readonly CatalogEntry[] {
    return this.#served
  }

  /** What is not served since another file, or the program, has the same. */
  get duplicates(): readonly Duplicate<ToolFile>[] {
    return this.#duplicates.filter(({ file }) => !file.givesWay)
  }

  /** Those whose load has not ended. */
  get loading(): readonly ToolFile[] {
    return this.all.filter(({ newest }) => newest?.version.isUnderWay)
  }

  /** Those of files that go on to put what is served. */
  get sources(): readonly FileSources[] {
    return this.all.flatMap(({ current }) => current?.version.sources ?? [])
  }

  /** Forgets the files of a folder that are gone. */
  removeMissing(root: ToolRoot, { tools, skipped }: FolderContents): void {
    const unread = [...skipped].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    for (const file of this.all)
      if (file.root === root && !tools.has(file.path) && !isUnread(file.path)) this.#files.delete(file.path)
  }

  /** Has every file loaded again, also those that cannot be read now, once they can. */
  forgetHashes(): void {
    for (const file of this.all) file.hash = undefined
  }

  /** Those of a folder to be loaded, in their order. */
  findChanged(root: ToolRoot, givesWay: boolean, { tools }: FolderContents): readonly ToolFile[] {
    const changed = [...tools].filter(([path, hash]) => this.#files.get(path)?.hash !== hash)
    const files = changed.map(([path, hash]): ToolFile => {
      const file = this.#files.get(path) ?? { path, root, givesWay, hash, serving: [] }
      file.hash = hash
      this.#files.set(path, file)
      return file
    })
    this.#sort()
    return files
  }

  /** Replaces an earlier load of the file, which serves what it has until this one is swapped in. */
  begin(file: ToolFile, version: FileVersion): LoadedFile {
    this.#versions.add(version)
    file.failure = file.hang = undefined
    return (file.newest = { file, version })
  }

  /** Ends versions that have failed: their files are loaded again when any other changes. */
  takeFailed(): readonly (readonly [file: ToolFile, thrown: unknown])[] {
    return this.all.flatMap(file =>
      [file.newest, file.current].flatMap(loaded => {
        if (loaded === undefined || loaded.version.phase !== 'failed' || loaded.isBroken) return []
        loaded.isBroken = true
        if (loaded === file.newest) file.newest = undefined
        // It was set up for more than it served.
        else loaded.content = { ...loaded.content!, entries: file.serving }
        file.hash = undefined
        return [[file, loaded.version.thrown] as const]
      }),
    )
  }

  /** Whether it is the newest of its file, or the one that serves. */
  isCurrent(loaded: LoadedFile): boolean {
    const { file, version } = loaded
    return (file.newest === loaded || file.current === loaded) && !version.isRetired
  }

  /** The name of what else has the same: for a version that is not served yet, only files before it count. */
  findOtherOwner(loaded: LoadedFile, entry: CatalogEntry): string | undefined {
    const { file } = loaded
    const isServed = file.current === loaded
    const files = this.all
    const others = isServed ? files.filter(each => each !== file) : files.slice(0, files.indexOf(file))
    const key = getQualifiedKey(entry)
    const owner = others.find(each => listDefined(each, isServed).some(other => getQualifiedKey(other) === key))
    return owner === undefined ? this.#options.findOwner(entry) : fileName(owner.path)
  }

  /** Whether a version that is read has to be set up before it can be served. */
  isToBeSetUp(loaded: LoadedFile): boolean {
    return loaded.version.isToBeSetUp && this.#findUnready(this.#compose(chooseRead), chooseRead).includes(loaded)
  }

  /** Versions that the next set has, and whose `setup` has not run. */
  findUnready(): readonly LoadedFile[] {
    const isAny = this.all.some(file => [file.newest, file.current].some(each => each?.version.isToBeSetUp))
    return isAny ? this.#findUnready(this.#compose(chooseLoaded), chooseLoaded) : []
  }

  /**
   * Serves the next set: what has loaded, in place of what the files had.
   *
   * @param promotes whether versions that have loaded since are served
   */
  swap(promotes: boolean): CatalogExchange {
    const unready = new Set<LoadedFile>()
    const choose: Choose = file => {
      const chosen = promotes ? chooseLoaded(file) : file.current
      if (chosen === undefined || !unready.has(chosen)) return chosen
      return chosen === file.newest ? file.current : undefined
    }
    for (;;) {
      const next = this.#compose(choose)
      const found = this.#findUnready(next, choose)
      if (found.length === 0) return this.#take(next, choose)
      for (const each of found) unready.add(each)
    }
  }

  /** Ends the versions that serve nothing, and will not. Call once the swap is announced. */
  retireUnused(): void {
    const used = new Set<object>(this.#served.flatMap(({ use }) => use ?? []))
    for (const { newest, current } of this.all) for (const each of [newest, current]) if (each) used.add(each.version)
    for (const version of this.#versions) {
      if (used.has(version)) continue
      this.#versions.delete(version)
      version.retire()
    }
  }

  #take(next: NextSet<ToolFile>, choose: Choose): CatalogExchange {
    for (const file of this.all) {
      const chosen = choose(file)
      if (chosen !== undefined) file.current = chosen
      if (chosen === file.newest) file.newest = undefined
      file.serving = next.serving.get(file) ?? []
    }
    const [before, after] = [new Set(this.#served), this.all.flatMap(({ serving }) => serving)]
    const kept = new Set(after)
    this.#served = after
    this.#duplicates = next.duplicates
    return { removed: [...before].filter(each => !kept.has(each)), put: after.filter(each => !before.has(each)) }
  }

  #compose(choose: Choose): NextSet<ToolFile> {
    const candidates = this.all.flatMap((file): Candidate<ToolFile>[] => {
      const { version, content } = choose(file) ?? {}
      if (version === undefined || content === undefined) return []
      const { serving, givesWay } = file
      // One that serves, and is set up for more.
      const isStill = choose !== chooseRead && version.phase === 'setting up'
      return [{ file, content: isStill ? { ...content, entries: serving } : content, serving, givesWay }]
    })
    return composeSet(candidates, this.#options.findOwner)
  }

  #findUnready({ serving }: NextSet<ToolFile>, choose: Choose): readonly LoadedFile[] {
    return [...serving].flatMap(([file, entries]) => {
      const chosen = choose(file)
      return chosen?.content !== undefined && this.#needsSetUp(chosen, chosen.content, entries) ? [chosen] : []
    })
  }

  /** Whether something of it runs here, or its `setup` says what it serves. */
  #needsSetUp({ version }: LoadedFile, content: FileContent, entries: readonly CatalogEntry[]): boolean {
    if (!version.isToBeSetUp) return false
    const own = content.entries.filter(entry => entries.includes(entry))
    if (own.some(entry => this.#runsHere(entry))) return true
    const isWhole = content.refused.length === 0 && own.length === content.entries.length
    return version.decidesLater && isWhole && own.every(this.#options.isWanted)
  }

  /** Whether the entry is served, and not only in processes of its own: its rules run here. */
  #runsHere(entry: CatalogEntry): boolean {
    const isElsewhere = entry.kind === 'tool' && entry.isIsolated && !entry.visible && entry.onCall.length === 0
    return this.#options.isWanted(entry) && !isElsewhere
  }

  #sort(): void {
    const { roots } = this.#options
    const compare = (a: ToolFile, b: ToolFile) =>
      roots.indexOf(a.root) - roots.indexOf(b.root) || (toSortKey(a.path) < toSortKey(b.path) ? -1 : 1)
    const sorted = this.all.toSorted(compare)
    this.#files.clear()
    for (const file of sorted) this.#files.set(file.path, file)
  }
}

type Choose = (file: ToolFile) => LoadedFile | undefined

/** As folders are read: name by name. */
const toSortKey = (path: string) => path.replaceAll(sep, '\0')

/** Of a version that is being set up, too: what it has is its own. */
const chooseRead: Choose = ({ newest, current }) =>
  newest?.content === undefined || newest.version.phase === 'failed' ? current : newest

const chooseLoaded: Choose = file => (file.newest?.version.isUnderWay ? file.current : chooseRead(file))

const listDefined = (file: ToolFile, isServed: boolean) =>
  isServed ? file.serving : (chooseRead(file)?.content?.entries ?? [])
