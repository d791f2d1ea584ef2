// Serves what the files of one tools folder export; tools-folders.ts says when it is read.
// A file that does not load keeps serving what it served before.
import { join, sep } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { FolderHooks } from '../hooks.ts'
import { createDuplicateError, DefinitionReader, type FileBeingRead, type FileContent } from './definitions.ts'
import type { EntrySources } from './entry-sources.ts'
import { FolderFailures, formatFailure } from './failures.ts'
import { FileVersion } from './file-version.ts'
import { type FoundHooks, findHooksFile, HooksFile } from './hooks-file.ts'
import { type CloseFailure, Lifecycle } from './lifecycle.ts'
import { type Exported, type FileLoad, FileLoader, type FileToLoad } from './load.ts'
import type { LoadGuard } from './load-guard.ts'
import { createToolModule, fileName, forgetCommonJs, nextGeneration, type ToolRoot } from './modules.ts'
import { describeReload, isSameEntry } from './reload-log.ts'
import { type FolderContents, MAX_FILES, readFolder, shortReason } from './scan.ts'

export interface FolderError {
  /** As the log names its files. */
  readonly folder: string
  readonly reason: string
  readonly isMissing: boolean
  /** If so, what was served before still is. */
  readonly wasRead: boolean
}

interface ServedFile {
  /** Hash of the file as read; undefined if it must be loaded again even if unchanged. */
  readonly hash: string | undefined
  readonly entries: readonly CatalogEntry[]
  /** Of the entries. */
  readonly version?: FileVersion | undefined
  /** The load of the current file, while it is under way. */
  readonly load?: FileLoad<FileContent>
  /** What the load will serve, once the file is read: no other file can have the same. */
  readonly claimed?: readonly CatalogEntry[]
  /** What it cannot serve, since another file has the same. */
  readonly duplicates?: readonly CatalogEntry[]
}

/** What a reload takes away. */
interface Replaced {
  readonly entries: CatalogEntry[]
  readonly versions: FileVersion[]
}

export interface ToolsFolderOptions {
  readonly catalog: Catalog
  readonly log: Log
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  /** How long a file may take to load, ms. */
  readonly loadLimitMs: number
  readonly guard: LoadGuard
  /** Gets what `_hooks.ts` exports. */
  readonly hooks: FolderHooks
  /** Of all folders. */
  readonly sources: EntrySources
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
  /** Whether nobody is told that it has no tools, since the server has the samples. */
  readonly mayBeEmpty: boolean
  /** Variables that are looked for in files. */
  readonly variables: readonly string[]
  /** The file of an earlier folder that defines the same. */
  findEarlierOwner(entry: CatalogEntry): string | undefined
  /** Whether one of the folders serves something. */
  isAnyServed(): boolean
  /** Runs work when no load is under way. */
  enqueue(work: () => Promise<void>): Promise<void>
  /** Loads all folders. Call within `enqueue`. */
  reload(): Promise<void>
  /** A file was served, or has failed, later than the others. Called within `enqueue`. */
  onServedLate(): Promise<void>
}

/** How long `close` of all files may take at the shutdown, ms. */
const CLOSE_LIMIT_MS = 4000

export class ToolsFolder {
  readonly #root: string
  readonly #name: string
  readonly #options: ToolsFolderOptions
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #hooksFile: HooksFile
  readonly #loader: FileLoader
  readonly #definitions: DefinitionReader
  readonly #lifecycle: Lifecycle
  readonly #failures: FolderFailures
  readonly #served = new Map<string, ServedFile>()
  /** What it has; undefined if it cannot be read now. */
  #contents: FolderContents | undefined
  #foundHooks: FoundHooks | undefined
  #helpersHash = ''
  #helpersGeneration = 0
  #error: FolderError | undefined
  #wasRead = false
  #isClosed = false
  #hasLoaded = false
  #isEmpty = false
  #wasWarned = false
  /** Loads that serving the other files did not wait for. */
  readonly #slowLoads = new Set<Promise<unknown>>()

  constructor(root: ToolRoot, options: ToolsFolderOptions) {
    const { catalog, log, roots, loadLimitMs, guard, hooks, sources, givesWay, isAnyServed, enqueue, reload } = options
    this.#root = root.path
    this.#name = root.name
    this.#options = options
    this.#catalog = catalog
    this.#log = log
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#lifecycle = new Lifecycle({ guard, log, onCloseFailed: failure => this.#onCloseFailed(failure) })
    this.#definitions = new DefinitionReader({
      catalog,
      log,
      sources,
      givesWay,
      findOtherOwner: (entry, file) => this.#findOtherOwner(entry, file),
      onRefused: (file, thrown, definition) => this.#failures.addRefused(file, thrown, definition),
    })
    this.#failures = new FolderFailures({ root: this.#root, log, guard })
    this.#hooksFile = new HooksFile({
      root: this.#root,
      roots,
      loader: this.#loader,
      lifecycle: this.#lifecycle,
      failures: this.#failures,
      hooks,
      catalog,
      log,
      isFolderServed: isAnyServed,
      onLate: take => void enqueue(async () => ((await take()) ? reload() : undefined)),
    })
  }

  /** Why the last attempt to read the folder failed; undefined if it succeeded. */
  get error(): FolderError | undefined {
    const { fault } = this.#hooksFile
    if (this.#error !== undefined || fault === undefined) return this.#error
    return { folder: this.#name, reason: fault, isMissing: false, wasRead: this.#options.isAnyServed() }
  }

  get isServed(): boolean {
    return this.#served.size > 0
  }

  /** Of the variables that are looked for, those that its files name. */
  get namedVariables(): ReadonlySet<string> {
    return this.#contents?.words ?? new Set()
  }

  /** Whether its hooks hold, or it has none: only then may tools be served. */
  get areRulesKnown(): boolean {
    return this.#wasRead && this.#hooksFile.fault === undefined
  }

  /** Whether the next change of any file may mend its hooks. */
  get areHooksToBeTriedAgain(): boolean {
    return this.#hooksFile.isToBeTriedAgain
  }

  /** One hash of what its tools and hooks may import. */
  get helpersHash(): string {
    // A fault may come and go without a change of what can be read.
    return `${this.#helpersHash} ${this.#foundHooks?.fault ?? ''}`
  }

  /** What is not served as the files have it, each on one line. */
  get problems(): readonly string[] {
    const { error } = this
    const { newerFault } = this.#hooksFile
    const loading = [...this.#served].filter(([, { load }]) => load !== undefined && load.result === undefined)
    return [
      ...(error === undefined ? [] : [explainFolderError(error)]),
      ...(newerFault === undefined ? [] : [`${newerFault}; the earlier hooks stay`]),
      ...this.#failures.ofFiles.map(formatFailure),
      ...loading.map(([file]) => `${fileName(file)}: it has not loaded yet`),
      ...(this.#contents?.isCut ? [`tools folder ${this.#name}: only the first ${MAX_FILES} files are read`] : []),
    ]
  }

  get failures(): Pick<FolderFailures, 'latest' | 'closing'> {
    return this.#failures
  }

  /** Whether it has no file of a tool. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Resolves once every file has loaded, or has taken longer than it may. */
  async settled(): Promise<void> {
    await Promise.all([this.#hooksFile.settled, ...this.#slowLoads])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lifecycle.closeAll(CLOSE_LIMIT_MS)
  }

  /** Reads what the folder has. Then a load calls `loadHooks`, `update` and `endLoad`. */
  read(): void {
    const contents = this.#readFolder()
    this.#contents = contents
    if (contents === undefined) return
    this.#failures.startLoad(contents)
    this.#foundHooks = findHooksFile(this.#root, contents)
    this.#helpersHash = contents.helpersHash
  }

  /** Has everything that may import a helper loaded again. */
  forgetHelpers(generation: number): void {
    this.#helpersGeneration = generation
    forgetCommonJs(this.#contents?.helpers ?? [])
    // Also those that cannot be read now, once they can.
    for (const [file, { entries, version, load }] of this.#served) {
      load?.version.retire()
      this.#served.set(file, { hash: undefined, entries, version })
    }
  }

  async loadHooks(generation: number): Promise<void> {
    if (this.#contents !== undefined) await this.#hooksFile.load(this.#foundHooks, generation)
  }

  /** Serves what has changed. */
  async update(generation: number): Promise<void> {
    if (this.#contents === undefined) return
    await this.#loadChanged(this.#contents, generation, this.#forgetMissing(this.#contents))
    // A tool may have moved to a file that was read before the one that had it.
    await this.settleDuplicates()
  }

  endLoad(): void {
    this.#hasLoaded = true
  }

  /** Serves what no other file has any more, and takes away what an earlier folder has now. */
  async settleDuplicates(): Promise<void> {
    if (this.#contents !== undefined && (this.#hasFreedDuplicates() || this.#hasOusted()))
      await this.#loadChanged(this.#contents, nextGeneration())
  }

  /** The name of the file that serves the same, or will once it has loaded. */
  findOwner(entry: CatalogEntry, except?: string): string | undefined {
    for (const [file, { entries, claimed = entries }] of this.#served) {
      if (file !== except && claimed.some(isSameEntry(entry))) return fileName(file)
    }
    return undefined
  }

  async #loadChanged(contents: FolderContents, generation: number, removed?: Replaced): Promise<void> {
    const loads = await this.#loader.load(this.#findChanged(contents, generation))
    for (const load of loads.filter(({ result }) => result === undefined)) this.#serveLate(load)
    await this.#serve(
      loads.filter(({ result }) => result !== undefined),
      removed,
    )
  }

  #readFolder(): FolderContents | undefined {
    try {
      const contents = readFolder(this.#root, this.#options.variables)
      this.#error = undefined
      this.#wasRead = true
      if (contents.isCut) this.#log.warn({ folder: this.#root }, `only the first ${MAX_FILES} files are read`)
      this.#isEmpty = contents.tools.size === 0
      const mayBeEmpty = this.#options.mayBeEmpty || this.#hasRulesAlone(contents)
      this.#warnOf(this.#isEmpty && !mayBeEmpty ? 'the folder has no file of a tool' : undefined)
      return contents
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#error = { folder: this.#name, reason: shortReason(error), isMissing, wasRead: this.#wasRead }
      this.#isEmpty ||= !this.#wasRead
      if (isMissing && !this.#wasRead) this.#warnOf('there is no such folder')
      else this.#log.error({ folder: this.#root, reason: this.#error.reason }, 'tools folder could not be read')
      return undefined
    }
  }

  /** Whether it has hooks for the tools of other folders. */
  #hasRulesAlone(contents: FolderContents): boolean {
    return this.#options.roots.length > 1 && findHooksFile(this.#root, contents) !== undefined
  }

  /** Logs once what to do about a folder that is missing or has no tools. */
  #warnOf(reason: string | undefined): void {
    if (reason !== undefined && !this.#wasWarned) {
      const example = `export default { name: 'hello', description: 'Says hello.', handler: () => 'Hello!' }`
      const file = fileName(join(this.#root, 'hello.ts'))
      const hint = `toolrack init makes a project with a first one; or create ${file} with: ${example}; or set TOOLS_DIR to where your tools are, or SAMPLES=true to serve those that ship`
      this.#log.warn({ folder: this.#root, reason, hint }, 'no tools')
    }
    this.#wasWarned = reason !== undefined
  }

  /** Forgets removed files. @returns what they had served */
  #forgetMissing({ tools, skipped }: FolderContents): Replaced {
    const unread = [...skipped].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    const missing = [...this.#served].filter(([file]) => !tools.has(file) && !isUnread(file))
    for (const [file, { load }] of missing) {
      this.#served.delete(file)
      load?.version.retire()
    }
    return {
      entries: missing.flatMap(([, { entries }]) => entries),
      versions: missing.flatMap(([, { version }]) => version ?? []),
    }
  }

  #findChanged({ tools }: FolderContents, generation: number): FileToLoad<FileContent>[] {
    const changed = [...tools].filter(([file, hash]) => {
      const served = this.#served.get(file)
      return served?.hash !== hash || this.#isOusted(served)
    })
    return changed.map(([file, hash]) => {
      const module = createToolModule(this.#root, file, {
        own: generation,
        helpers: this.#helpersGeneration,
        roots: this.#options.roots,
      })
      const version = new FileVersion(file, this.#lifecycle)
      return {
        file,
        module,
        version,
        begin: load => {
          this.#failures.forget(file)
          const { entries = [], version, load: earlier } = this.#served.get(file) ?? {}
          earlier?.version.retire()
          this.#served.set(file, { hash, entries, version, load })
        },
        read: exported => this.#read({ file, module, version }, exported),
        isUsedHere: ({ entries }) => entries.some(entry => this.#runsHere(entry)),
      }
    })
  }

  /** Logs that a file hangs, and serves it if it loads later. */
  #serveLate(load: FileLoad<FileContent>): void {
    const file = fileName(load.file)
    let isTold = false
    const told = this.#loader.explainHang(load).then(reason => {
      this.#slowLoads.delete(told)
      if (reason === undefined || this.#isClosed || !this.#isCurrent(load)) return
      isTold = true
      this.#failures.addHanging(load.file, reason, this.#hasEarlier(load.file))
    })
    this.#slowLoads.add(told)
    void load.ended.then(() =>
      this.#options.enqueue(async () => {
        if (isTold && load.result?.isLoaded && this.#isCurrent(load))
          this.#log.info({ file }, 'tool file loaded after all')
        await this.#serve([load])
        await this.#options.onServedLate()
      }),
    )
  }

  /** Whether the load is of the current version of the file. */
  #isCurrent(load: FileLoad<FileContent>): boolean {
    return this.#served.get(load.file)?.load === load
  }

  /** Serves ended loads in place of `removed` and of what the same files served before. */
  async #serve(
    ended: readonly FileLoad<FileContent>[],
    removed: Replaced = { entries: [], versions: [] },
  ): Promise<void> {
    const put: CatalogEntry[] = []
    const failed: [file: string, thrown: unknown][] = []
    for (const load of ended) {
      if (!this.#isCurrent(load)) {
        removed.versions.push(load.version)
        continue
      }
      const result = load.result!
      const { hash, entries, version } = this.#served.get(load.file)!
      if (result.isLoaded) {
        const content = this.#withoutOusted(load.file, result.content)
        this.#served.set(load.file, {
          hash: content.isWhole ? hash : undefined,
          entries: content.entries,
          version: load.version,
          duplicates: content.duplicates,
        })
        removed.entries.push(...entries)
        if (version !== undefined) removed.versions.push(version)
        put.push(...content.entries)
      } else {
        // It is loaded again when any file changes: it may have lacked another one.
        this.#served.set(load.file, { hash: undefined, entries, version })
        removed.versions.push(load.version)
        failed.push([load.file, result.thrown])
      }
    }
    const gone = removed.entries.filter(entry => this.#catalog.findHolder(entry) === entry)
    if (gone.length + put.length > 0) this.#replace(gone, put)
    // Only now: what the new files share with them stays open.
    for (const version of removed.versions) version.retire()
    // Finding the line may take a while, so it comes last.
    for (const [file, thrown] of failed) await this.#failures.addThrown(file, thrown, this.#hasEarlier(file))
  }

  #replace(gone: readonly CatalogEntry[], put: readonly CatalogEntry[]): void {
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    if (!this.#hasLoaded) return
    const { fields, text } = describeReload(exchanged, this.#catalog, this.#options.sources)
    this.#log.info(fields, `tools folder reloaded: ${text}`)
  }

  /** Reads a file, and claims for it what it defines. @throws Error if it defines nothing */
  #read(file: FileBeingRead, exported: Exported): FileContent {
    // Replaced while it was imported.
    if (file.version.isRetired) return { entries: [], isWhole: false, duplicates: [] }
    const content = this.#definitions.read(file, exported)
    this.#served.set(file.file, { ...this.#served.get(file.file)!, claimed: content.entries })
    return content
  }

  // Those of a reload are in the log alone: a server that runs on would collect them without end.
  #onCloseFailed(failure: CloseFailure): void {
    if (this.#isClosed) this.#failures.addClosing(failure)
  }

  /** Whether the file serves something, of this or an earlier version. */
  #hasEarlier(file: string): boolean {
    return (this.#served.get(file)?.entries ?? []).length > 0
  }

  /** Whether the entry is served, and not only in processes of its own. */
  #runsHere(entry: CatalogEntry): boolean {
    return this.#catalog.isWanted(entry) && !(entry.kind === 'tool' && entry.isIsolated)
  }

  #hasFreedDuplicates(): boolean {
    return [...this.#served].some(([file, { duplicates = [] }]) =>
      duplicates.some(entry => this.#findOtherOwner(entry, file) === undefined),
    )
  }

  #findOtherOwner(entry: CatalogEntry, file: string): string | undefined {
    const owner = this.findOwner(entry, file) ?? this.#options.findEarlierOwner(entry)
    if (owner !== undefined) return owner
    const present = this.#catalog.findHolder(entry)
    const isFree = present === undefined || this.#options.sources.has(present) || this.#catalog.isFallback(present)
    return isFree ? undefined : 'the program'
  }

  #hasOusted(): boolean {
    return [...this.#served.values()].some(served => this.#isOusted(served))
  }

  /** Whether an earlier folder has begun to define the same. */
  #isOusted({ entries }: ServedFile): boolean {
    return entries.some(entry => this.#options.findEarlierOwner(entry) !== undefined)
  }

  /** Refuses what an earlier folder has begun to define while the file was loading. */
  #withoutOusted(file: string, content: FileContent): FileContent {
    const owners = new Map(content.entries.map(entry => [entry, this.#options.findEarlierOwner(entry)]))
    const ousted = content.entries.filter(entry => owners.get(entry) !== undefined)
    if (ousted.length === 0) return content
    for (const entry of this.#options.givesWay ? [] : ousted)
      this.#failures.addRefused(file, createDuplicateError(entry, owners.get(entry)!), entry.key)
    return {
      entries: content.entries.filter(entry => !ousted.includes(entry)),
      isWhole: false,
      duplicates: [...content.duplicates, ...ousted],
    }
  }
}

const explainFolderError = ({ folder, reason, wasRead }: FolderError) =>
  `tools folder ${folder}: it cannot be read (${reason}); ${wasRead ? 'what it served before stays' : 'nothing of it is served'}`
