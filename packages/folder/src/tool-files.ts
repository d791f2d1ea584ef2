// The tool files of the folders: the version that each serves, the version that loads, and the swap
// to the next set. The files have an order, and the first file with a name serves it.
import { sep } from 'node:path'
import { type Built, type CatalogEntry, findOrigin, getQualifiedKey, type InnerTarget } from 'toolrack/definitions'
import type { FileContent } from './definitions.ts'
import type { FileFailure } from './failures.ts'
import type { FileSources } from './file-sources.ts'
import type { FileVersion } from './file-version.ts'
import type { Exchange } from './reload-log.ts'
import type { FolderContents } from './scan.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

/** A version of a file, and its definitions once it is read. */
export interface LoadedFile {
  readonly file: ToolFile
  readonly version: FileVersion
  content?: FileContent
  /** Whether its failure is known already. */
  isBroken?: true
}

export interface ToolFile {
  readonly path: string
  readonly root: ToolRoot
  /** Hash at the last read; undefined if it must be loaded again even if unchanged. */
  hash: string | undefined
  /**
   * The version that the file serves. An earlier one may still serve definitions that this one
   * refused.
   */
  current?: LoadedFile
  /** The version that loads, or will be served with the next swap. */
  newest?: LoadedFile | undefined
  serving: readonly Built[]
  /** Why the newest version is not served. */
  failure?: FileFailure | undefined
  /** The report of a hanging version, as in the log. */
  hang?: FileFailure | undefined
}

export interface ToolFilesOptions extends Pick<InnerTarget, 'findOwner' | 'isWanted'> {
  readonly roots: readonly ToolRoot[]
}

/** A definition that is not served because another file or source has the same. */
export interface Duplicate {
  readonly file: ToolFile
  readonly entry: CatalogEntry
  readonly owner: string
}

interface NextSet {
  /** The definitions that each file will serve. */
  readonly serving: ReadonlyMap<ToolFile, readonly Built[]>
  /** Later definitions with a taken name, and the files that have it. */
  readonly late: ReadonlyMap<Built, ToolFile>
}

type Choose = (file: ToolFile) => LoadedFile | undefined

export class ToolFiles {
  readonly #options: ToolFilesOptions
  readonly #files = new Map<string, ToolFile>()
  readonly #versions = new Set<FileVersion>()
  #served: readonly Built[] = []
  #late: NextSet['late'] = new Map()

  constructor(options: ToolFilesOptions) {
    this.#options = options
  }

  /** In the order of precedence. */
  get all(): readonly ToolFile[] {
    return [...this.#files.values()]
  }

  /** Whether any file is served. */
  get isAnyServed(): boolean {
    return this.all.some(({ current }) => current !== undefined)
  }

  /** The definitions that are put: served unless they are hidden or lack something. */
  get served(): readonly Built[] {
    return this.#served
  }

  get duplicates(): readonly Duplicate[] {
    return this.all.flatMap(file =>
      (file.current?.content?.built ?? []).flatMap(built => {
        const late = this.#late.get(built)
        const owner = this.#options.findOwner(built.definition) ?? (late && fileName(late.path))
        return owner === undefined ? [] : [{ file, entry: built.entry, owner }]
      }),
    )
  }

  /** Files whose load has not ended. */
  get loading(): readonly ToolFile[] {
    return this.all.filter(({ newest }) => newest?.version.isUnderWay)
  }

  /** Sources of files that continue to put definitions. */
  get sources(): readonly FileSources[] {
    return this.all.flatMap(({ current }) => current?.version.sources ?? [])
  }

  /** The name of the file with an entry, as in the log. */
  findFileName(entry: CatalogEntry): string {
    const built = this.#served.find(each => each.entry === entry)
    return findOrigin(built?.definition)?.file ?? 'the program'
  }

  /** Forgets the files of a folder that are gone. */
  removeMissing(root: ToolRoot, { tools, skipped }: FolderContents): void {
    const unread = [...skipped].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    for (const file of this.all)
      if (file.root === root && !tools.has(file.path) && !isUnread(file.path)) this.#files.delete(file.path)
  }

  /** Makes every file load again. Unreadable files follow once they are readable. */
  forgetHashes(): void {
    for (const file of this.all) file.hash = undefined
  }

  /** The files of a folder that must be loaded, in their order. */
  findChanged(root: ToolRoot, { tools }: FolderContents): readonly ToolFile[] {
    const changed = [...tools].filter(([path, hash]) => this.#files.get(path)?.hash !== hash)
    const files = changed.map(([path, hash]): ToolFile => {
      const file = this.#files.get(path) ?? { path, root, hash, serving: [] }
      file.hash = hash
      this.#files.set(path, file)
      return file
    })
    this.#sort()
    return files
  }

  /**
   * Replaces an earlier load of the file. The file serves its old version until the new one is
   * swapped in.
   */
  begin(file: ToolFile, version: FileVersion): LoadedFile {
    this.#versions.add(version)
    file.failure = file.hang = undefined
    return (file.newest = { file, version })
  }

  /** Ends versions that have failed. Their files load again when any other file changes. */
  takeFailed(): readonly LoadedFile[] {
    return this.all.flatMap(file =>
      [file.newest, file.current].flatMap(loaded => {
        if (loaded === undefined || loaded.version.phase !== 'failed' || loaded.isBroken) return []
        loaded.isBroken = true
        if (loaded === file.newest) file.newest = undefined
        // It was set up for more definitions than it served.
        else loaded.content = { ...loaded.content!, built: file.serving }
        file.hash = undefined
        return [loaded]
      }),
    )
  }

  /** Whether it is the newest version of its file, or the version that serves. */
  isCurrent(loaded: LoadedFile): boolean {
    const { file, version } = loaded
    return (file.newest === loaded || file.current === loaded) && !version.isRetired
  }

  /** Finds who has the same. For a version that is not served yet, only files before it count. */
  findOtherOwners(loaded: LoadedFile): (built: Built) => string | undefined {
    const { file } = loaded
    const isServed = file.current === loaded
    const files = this.all
    const owners = new Map<string, ToolFile>()
    for (const each of isServed ? files : files.slice(0, files.indexOf(file)))
      for (const { entry } of isServed ? each.serving : (chooseRead(each)?.content?.built ?? []))
        owners.set(getQualifiedKey(entry), each)
    return ({ entry, definition }) => {
      const owner = owners.get(getQualifiedKey(entry))
      return owner === undefined || owner === file ? this.#options.findOwner(definition) : fileName(owner.path)
    }
  }

  /** Whether a version that is read needs its `setup` before it can be served. */
  isToBeSetUp(loaded: LoadedFile): boolean {
    return loaded.version.isToBeSetUp && this.#findUnready(chooseRead).includes(loaded)
  }

  /** Versions in the next set whose `setup` has not run. */
  findUnready(): readonly LoadedFile[] {
    const isAny = this.all.some(file => [file.newest, file.current].some(each => each?.version.isToBeSetUp))
    return isAny ? this.#findUnready(chooseLoaded) : []
  }

  /**
   * Serves the next set: the loaded versions replace the earlier versions of their files.
   *
   * @param promotes whether newly loaded versions are served
   */
  swap(promotes: boolean): Exchange {
    const choose: Choose = promotes ? chooseLoaded : ({ current }) => current
    const next = this.#compose(choose, { isToBeServed: true })
    for (const file of this.all) {
      const chosen = choose(file)
      if (chosen !== undefined) file.current = chosen
      if (chosen === file.newest) file.newest = undefined
      file.serving = next.serving.get(file) ?? []
    }
    const [before, after] = [new Set(this.#served), this.all.flatMap(({ serving }) => serving)]
    const kept = new Set(after)
    this.#served = after
    this.#late = next.late
    return { removed: [...before].filter(each => !kept.has(each)), put: after.filter(each => !before.has(each)) }
  }

  /** Ends versions that serve nothing, and never will. Call it once the swap is announced. */
  retireUnused(): void {
    const used = new Set<object>(this.#served.flatMap(({ entry }) => entry.use ?? []))
    for (const { newest, current } of this.all) for (const each of [newest, current]) if (each) used.add(each.version)
    for (const version of this.#versions) {
      if (used.has(version)) continue
      this.#versions.delete(version)
      version.retire()
    }
  }

  /**
   * @param isToBeServed whether the set is served as it is: without versions that need their `setup`
   *   first
   */
  #compose(choose: Choose, { isToBeServed = false } = {}): NextSet {
    const owners = new Map<string, ToolFile>()
    const serving = new Map<ToolFile, Built[]>()
    const late = new Map<Built, ToolFile>()
    const keeping: { readonly file: ToolFile; readonly defined: readonly Built[] }[] = []
    for (const file of this.all) {
      const { version, content } = choose(file) ?? {}
      if (version === undefined || content === undefined) continue
      // It serves, and is being set up for more definitions.
      const isStill = choose !== chooseRead && version.phase === 'setting up'
      const own: Built[] = []
      let isWhole = content.refused.length === 0
      for (const built of isStill ? file.serving : content.built) {
        const key = getQualifiedKey(built.entry)
        const owner = owners.get(key)
        const isHidden = this.#options.findOwner(built.definition) !== undefined
        if (owner !== undefined) late.set(built, owner)
        else owners.set(key, file)
        if (owner !== undefined || isHidden) isWhole = false
        // A hidden definition appears by itself, unless its file needs `setup` first.
        const waits = version.isToBeSetUp && (isHidden || (isToBeServed && this.#runsHere(built)))
        if (owner === undefined && !waits) own.push(built)
      }
      serving.set(file, own)
      if (!isWhole) keeping.push({ file, defined: content.built })
    }
    // A definition that is missing now may be one that was refused, so its earlier version stays.
    for (const { file, defined } of keeping) {
      const keys = new Set(defined.map(({ entry }) => getQualifiedKey(entry)))
      for (const built of file.serving) {
        const key = getQualifiedKey(built.entry)
        if (owners.has(key) || keys.has(key)) continue
        owners.set(key, file)
        serving.get(file)!.push(built)
      }
    }
    return { serving, late }
  }

  #findUnready(choose: Choose): readonly LoadedFile[] {
    return [...this.#compose(choose).serving].flatMap(([file, own]) => {
      const chosen = choose(file)
      return chosen?.content !== undefined && this.#needsSetUp(chosen, chosen.content, own) ? [chosen] : []
    })
  }

  /** Whether some of its code runs here, or its `setup` decides what it serves. */
  #needsSetUp({ version }: LoadedFile, { built, refused }: FileContent, serving: readonly Built[]): boolean {
    if (!version.isToBeSetUp) return false
    const set = new Set(serving)
    const own = built.filter(each => set.has(each))
    if (own.some(each => this.#runsHere(each))) return true
    const isWhole = refused.length === 0 && own.length === built.length
    return version.decidesLater && isWhole && own.every(({ definition }) => this.#options.isWanted(definition))
  }

  /** Whether it is served, and some of its code runs here: its rules do, even if it is isolated. */
  #runsHere({ entry, definition }: Built): boolean {
    const isElsewhere = entry.kind === 'tool' && entry.isIsolated && !entry.visible && entry.onCall.length === 0
    return !isElsewhere && this.#options.isWanted(definition)
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

/** Sorts as folders are read: name by name. */
const toSortKey = (path: string) => path.replaceAll(sep, '\0')

/** Also chooses a version that is being set up: its definitions are known. */
const chooseRead: Choose = ({ newest, current }) =>
  newest?.content === undefined || newest.version.phase === 'failed' ? current : newest

const chooseLoaded: Choose = file => (file.newest?.version.isUnderWay ? file.current : chooseRead(file))
