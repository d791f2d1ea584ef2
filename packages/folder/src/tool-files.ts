// The tool files of the folders: the version that each serves, the one that loads, and the swap of
// what is served for the next set. In their order, the first that defines a name has it.
import { sep } from 'node:path'
import { type Built, type CatalogEntry, findOrigin, getQualifiedKey, type InnerTarget } from 'toolrack/definitions'
import type { FileContent } from './definitions.ts'
import type { FileFailure } from './failures.ts'
import type { FileSources } from './file-sources.ts'
import type { FileVersion } from './file-version.ts'
import type { Exchange } from './reload-log.ts'
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
  /** As it was read; undefined if it is to be loaded again even if unchanged. */
  hash: string | undefined
  /** What it serves is of this one, but for what that fails to define. */
  current?: LoadedFile
  /** It loads, or is to be served with the next swap. */
  newest?: LoadedFile | undefined
  serving: readonly Built[]
  /** Why the newest version is not served. */
  failure?: FileFailure | undefined
  /** What the log has said of a version that hangs. */
  hang?: FileFailure | undefined
}

export interface ToolFilesOptions extends Pick<InnerTarget, 'findOwner' | 'isWanted'> {
  readonly roots: readonly ToolRoot[]
}

/** What is not served since another file, or something else, has the same. */
export interface Duplicate {
  readonly file: ToolFile
  readonly entry: CatalogEntry
  readonly owner: string
}

interface NextSet {
  /** What each file is to serve. */
  readonly serving: ReadonlyMap<ToolFile, readonly Built[]>
  /** What each file has too late, with the one that has it. */
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

  /** In the order in which they come to their names. */
  get all(): readonly ToolFile[] {
    return [...this.#files.values()]
  }

  /** Whether a file has come to be served. */
  get isAnyServed(): boolean {
    return this.all.some(({ current }) => current !== undefined)
  }

  /** What is put: served, unless it is hidden or lacks something. */
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

  /** Those whose load has not ended. */
  get loading(): readonly ToolFile[] {
    return this.all.filter(({ newest }) => newest?.version.isUnderWay)
  }

  /** Those of files that go on to put what is served. */
  get sources(): readonly FileSources[] {
    return this.all.flatMap(({ current }) => current?.version.sources ?? [])
  }

  /** The name of the file that has an entry, as the log has it. */
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

  /** Has every file loaded again, also those that cannot be read now, once they can. */
  forgetHashes(): void {
    for (const file of this.all) file.hash = undefined
  }

  /** Those of a folder to be loaded, in their order. */
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

  /** Replaces an earlier load of the file, which serves what it has until this one is swapped in. */
  begin(file: ToolFile, version: FileVersion): LoadedFile {
    this.#versions.add(version)
    file.failure = file.hang = undefined
    return (file.newest = { file, version })
  }

  /** Ends versions that have failed: their files are loaded again when any other changes. */
  takeFailed(): readonly LoadedFile[] {
    return this.all.flatMap(file =>
      [file.newest, file.current].flatMap(loaded => {
        if (loaded === undefined || loaded.version.phase !== 'failed' || loaded.isBroken) return []
        loaded.isBroken = true
        if (loaded === file.newest) file.newest = undefined
        // It was set up for more than it served.
        else loaded.content = { ...loaded.content!, built: file.serving }
        file.hash = undefined
        return [loaded]
      }),
    )
  }

  /** Whether it is the newest of its file, or the one that serves. */
  isCurrent(loaded: LoadedFile): boolean {
    const { file, version } = loaded
    return (file.newest === loaded || file.current === loaded) && !version.isRetired
  }

  /** Finds what else has the same: for a version that is not served yet, only files before it count. */
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

  /** Whether a version that is read has to be set up before it can be served. */
  isToBeSetUp(loaded: LoadedFile): boolean {
    return loaded.version.isToBeSetUp && this.#findUnready(chooseRead).includes(loaded)
  }

  /** Versions that the next set has, and whose `setup` has not run. */
  findUnready(): readonly LoadedFile[] {
    const isAny = this.all.some(file => [file.newest, file.current].some(each => each?.version.isToBeSetUp))
    return isAny ? this.#findUnready(chooseLoaded) : []
  }

  /**
   * Serves the next set: what has loaded, in place of what the files had.
   *
   * @param promotes whether versions that have loaded since are served
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

  /** Ends the versions that serve nothing, and will not. Call once the swap is announced. */
  retireUnused(): void {
    const used = new Set<object>(this.#served.flatMap(({ entry }) => entry.use ?? []))
    for (const { newest, current } of this.all) for (const each of [newest, current]) if (each) used.add(each.version)
    for (const version of this.#versions) {
      if (used.has(version)) continue
      this.#versions.delete(version)
      version.retire()
    }
  }

  /** @param isToBeServed whether it is served as it is: without what has to be set up first */
  #compose(choose: Choose, { isToBeServed = false } = {}): NextSet {
    const owners = new Map<string, ToolFile>()
    const serving = new Map<ToolFile, Built[]>()
    const late = new Map<Built, ToolFile>()
    const keeping: { readonly file: ToolFile; readonly defined: readonly Built[] }[] = []
    for (const file of this.all) {
      const { version, content } = choose(file) ?? {}
      if (version === undefined || content === undefined) continue
      // One that serves, and is set up for more.
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
        // What is hidden comes to light by itself, but for that its file has to be set up.
        const waits = version.isToBeSetUp && (isHidden || (isToBeServed && this.#runsHere(built)))
        if (owner === undefined && !waits) own.push(built)
      }
      serving.set(file, own)
      if (!isWhole) keeping.push({ file, defined: content.built })
    }
    // What a file does not define any more may be a definition of it that is refused: it stays.
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

  /** Whether something of it runs here, or its `setup` says what it serves. */
  #needsSetUp({ version }: LoadedFile, { built, refused }: FileContent, serving: readonly Built[]): boolean {
    if (!version.isToBeSetUp) return false
    const set = new Set(serving)
    const own = built.filter(each => set.has(each))
    if (own.some(each => this.#runsHere(each))) return true
    const isWhole = refused.length === 0 && own.length === built.length
    return version.decidesLater && isWhole && own.every(({ definition }) => this.#options.isWanted(definition))
  }

  /** Whether it is served, and not only in processes of its own: its rules run here. */
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

/** As folders are read: name by name. */
const toSortKey = (path: string) => path.replaceAll(sep, '\0')

/** Of a version that is being set up, too: what it has is its own. */
const chooseRead: Choose = ({ newest, current }) =>
  newest?.content === undefined || newest.version.phase === 'failed' ? current : newest

const chooseLoaded: Choose = file => (file.newest?.version.isUnderWay ? file.current : chooseRead(file))
