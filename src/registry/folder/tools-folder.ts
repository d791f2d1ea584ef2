// Serves what the files of one tools folder export; tools-folders.ts says when it is read.
// A file that does not load keeps serving what it served before.
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { FolderHooks, ToolHooks } from '../hooks.ts'
import type { ToolServer } from '../tool-server.ts'
import {
  createDuplicateError,
  DefinitionReader,
  type FileBeingRead,
  type FileContent,
  RulesAlone,
} from './definitions.ts'
import { FolderFailures, formatFailure } from './failures.ts'
import { createFileEntries } from './file-entries.ts'
import { type ChangeNow, createFileServer, type FileEntries, type FileLog } from './file-server.ts'
import { FileVersion } from './file-version.ts'
import { explainFolderError, type FolderError, FolderReader, type FolderReaderOptions } from './folder-reader.ts'
import { HooksFile, type LoadRulesOptions } from './hooks-file.ts'
import { type CloseFailure, Lifecycle } from './lifecycle.ts'
import { type Exported, type FileLoad, FileLoader, type FileToLoad } from './load.ts'
import type { LoadGuard } from './load-guard.ts'
import { createToolModule, forgetCommonJs, nextGeneration } from './modules.ts'
import { describeReload, type ReloadReport } from './reload-log.ts'
import { type FolderContents, MAX_FILES } from './scan.ts'
import { type ReplacedFile, ServedFiles, type ServedFilesOptions } from './served-files.ts'
import type { ImportedFiles } from './static-imports.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface ToolsFolderOptions extends FolderReaderOptions, ServedFilesOptions {
  readonly catalog: Catalog
  /** How long a file may take to load, ms. */
  readonly loadLimitMs: number
  readonly guard: LoadGuard
  /** Logs on behalf of a file, outside of a call. */
  readonly fileLog: FileLog
  /** Gets what `_hooks.ts` exports. */
  readonly hooks: FolderHooks
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
  /** Whether one of the folders serves something. */
  isAnyServed(): boolean
  /** Runs work when no load is under way. */
  enqueue(work: () => Promise<void>): Promise<void>
  /** Loads all folders. Call within `enqueue`. */
  reload(): Promise<void>
  /** A file was served, or has failed, later than the others. Called within `enqueue`. */
  onServedLate(): Promise<void>
  /** @param fields the names, by kind of change */
  onChanged(fields: Readonly<Record<string, string>>): void
}

/** How long `close` of all files may take at the shutdown, ms. */
const CLOSE_LIMIT_MS = 4000

export class ToolsFolder {
  readonly #root: ToolRoot
  readonly #options: ToolsFolderOptions
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #hooksFile: HooksFile
  readonly #loader: FileLoader
  readonly #definitions: DefinitionReader
  readonly #lifecycle: Lifecycle
  readonly #failures: FolderFailures
  readonly #reader: FolderReader
  readonly #served: ServedFiles
  #helpersGeneration = 0
  #isClosed = false
  #hasLoaded = false
  /** Loads that serving the other files did not wait for. */
  readonly #slowLoads = new Set<Promise<unknown>>()

  constructor(root: ToolRoot, options: ToolsFolderOptions) {
    const { catalog, log, roots, loadLimitMs, guard, hooks, sources, givesWay, isAnyServed, enqueue, reload } = options
    this.#root = root
    this.#options = options
    this.#catalog = catalog
    this.#log = log
    this.#reader = new FolderReader(root, options)
    this.#served = new ServedFiles(options)
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#lifecycle = new Lifecycle({ guard, log, onCloseFailed: failure => this.#onCloseFailed(failure) })
    this.#definitions = new DefinitionReader({
      catalog,
      log,
      sources,
      givesWay,
      findOtherOwner: (entry, file) => this.#served.findOtherOwner(entry, file),
      onRefused: (file, thrown, definition) => {
        const hasEarlier = this.#served.findKept(file, []).some(({ key }) => key === definition)
        this.#failures.addRefused(file, thrown, { definition, hasEarlier })
      },
    })
    this.#failures = new FolderFailures({ root: root.path, log, guard })
    this.#hooksFile = new HooksFile({
      root: root.path,
      roots,
      loader: this.#loader,
      lifecycle: this.#lifecycle,
      failures: this.#failures,
      hooks,
      catalog,
      log,
      fileLog: options.fileLog,
      sources,
      isFolderServed: isAnyServed,
      onChanged: options.onChanged,
      onLate: take => void enqueue(async () => ((await take()) ? reload() : undefined)),
    })
  }

  /** Why the last attempt to read the folder failed; undefined if it succeeded. */
  get error(): FolderError | undefined {
    const { fault } = this.#hooksFile
    const { error } = this.#reader
    if (error !== undefined || fault === undefined) return error
    return { folder: this.#root.name, reason: fault, isMissing: false, wasRead: this.#options.isAnyServed() }
  }

  get isServed(): boolean {
    return !this.#served.isEmpty
  }

  /** Of the variables that are looked for, those that its files name. */
  get namedVariables(): ReadonlySet<string> {
    return this.#reader.contents?.words ?? new Set()
  }

  /** Whether its hooks hold, or it has none: only then may tools be served. */
  get areRulesKnown(): boolean {
    return this.#reader.wasRead && this.#hooksFile.fault === undefined
  }

  /** Whether the next change of any file may mend its hooks. */
  get areHooksToBeTriedAgain(): boolean {
    return this.#hooksFile.isToBeTriedAgain
  }

  /** One hash of what its tools and hooks may import. */
  get helpersHash(): string {
    return this.#reader.helpersHash
  }

  /** What is not served as the files have it, each on one line. */
  get problems(): readonly string[] {
    const { error } = this
    const { newerFault } = this.#hooksFile
    return [
      ...(error === undefined ? [] : [explainFolderError(error)]),
      ...(newerFault === undefined ? [] : [`${newerFault}; the earlier hooks stay`]),
      ...this.#failures.ofFiles.map(formatFailure),
      ...this.#served.loading.map(file => `${fileName(file)}: it has not loaded yet`),
      ...(this.#reader.contents?.isCut
        ? [`tools folder ${this.#root.name}: only the first ${MAX_FILES} files are read`]
        : []),
    ]
  }

  get failures(): Pick<FolderFailures, 'latest' | 'closing'> {
    return this.#failures
  }

  /** Whether it has no file of a tool. */
  get isEmpty(): boolean {
    return this.#reader.isEmpty
  }

  /** Resolves once every file has loaded, or has taken longer than it may. */
  async settled(): Promise<void> {
    await Promise.all([this.#hooksFile.settled, ...this.#slowLoads])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lifecycle.closeAll(CLOSE_LIMIT_MS)
  }

  /** Reads what the folder has. Then a load calls `placeRules`, `loadHooks`, `update` and `endLoad`. */
  read(): void {
    this.#reader.read()
  }

  /** Tool files and hooks: what they import is a helper. */
  get startFiles(): readonly string[] {
    return [...(this.#reader.contents?.tools.keys() ?? []), ...this.#reader.hooksFiles]
  }

  /** @param findImported what the files of all folders import by their texts */
  placeRules(findImported: () => ImportedFiles): void {
    this.#reader.placeRules(findImported)
    const { contents } = this.#reader
    if (contents !== undefined) this.#failures.startLoad(contents)
  }

  /** Has everything that may import a helper loaded again. */
  forgetHelpers(generation: number): void {
    this.#helpersGeneration = generation
    const { helpers = [], tools = new Map<string, string>() } = this.#reader.contents ?? {}
    forgetCommonJs([...helpers, ...tools.keys()])
    this.#served.forgetHashes()
  }

  async loadHooks(generation: number, options: LoadRulesOptions): Promise<void> {
    const { contents, foundHooks } = this.#reader
    if (contents !== undefined) await this.#hooksFile.load(foundHooks, generation, options)
  }

  /** Serves what has changed. @returns false, without that, if a file has turned out to have rules for all */
  async update(generation: number): Promise<boolean> {
    const { contents } = this.#reader
    if (contents === undefined) return true
    const isServed = await this.#loadChanged(contents, generation, this.#served.removeMissing(contents))
    // A tool may have moved to a file that was read before the one that had it.
    if (isServed) await this.settleDuplicates()
    return isServed
  }

  /** @param findImported what the files of all folders import by their texts */
  endLoad(findImported: () => ImportedFiles): void {
    this.#hasLoaded = true
    this.#reader.warnOfUnserved(findImported)
  }

  /** Serves what no other file has any more, and takes away what an earlier folder has now. */
  async settleDuplicates(): Promise<void> {
    const { contents } = this.#reader
    if (contents !== undefined && this.#served.areToBeSettled) await this.#loadChanged(contents, nextGeneration())
  }

  /** The name of the file that serves the same, or will once it has loaded. */
  findOwner(entry: CatalogEntry): string | undefined {
    return this.#served.findOwner(entry)
  }

  async #loadChanged(contents: FolderContents, generation: number, removed?: readonly ReplacedFile[]) {
    const loads = await this.#loader.load(this.#findChanged(contents, generation))
    if (loads.some(load => this.#noteRules(load))) {
      this.#served.forgetHashes()
      await this.#serve([], removed)
      return false
    }
    for (const load of loads.filter(({ result }) => result === undefined)) this.#serveLate(load)
    await this.#serve(
      loads.filter(({ result }) => result !== undefined),
      removed,
    )
    return true
  }

  #noteRules({ file, result }: FileLoad<FileContent>): boolean {
    const thrown = result?.isLoaded === false ? result.thrown : undefined
    return thrown instanceof RulesAlone && this.#reader.noteRules(file, thrown.rules)
  }

  #findChanged(contents: FolderContents, generation: number): FileToLoad<FileContent>[] {
    const { roots } = this.#options
    return this.#served.findChanged(contents).map(([file, hash]) => {
      const helpers = this.#helpersGeneration
      const module = createToolModule(this.#root.path, file, { own: generation, helpers, roots })
      let rules: ToolHooks = {}
      const version = new FileVersion(file, this.#lifecycle, each =>
        this.#createServer(file, each, definition =>
          this.#definitions.buildAdded({ file, module, version: each }, rules, definition),
        ),
      )
      return {
        file,
        module,
        version,
        begin: load => {
          this.#failures.forget(file)
          this.#served.begin(load, hash)
        },
        read: exported => {
          const content = this.#read({ file, module, version }, exported)
          rules = content.rules
          return content
        },
        isUsedHere: content => this.#isUsedHere(version, content),
      }
    })
  }

  /** Logs that a file hangs, and serves it if it loads later. */
  #serveLate(load: FileLoad<FileContent>): void {
    const file = fileName(load.file)
    let isTold = false
    const told = this.#loader.explainHang(load).then(reason => {
      this.#slowLoads.delete(told)
      if (reason === undefined || this.#isClosed || !this.#served.isCurrent(load)) return
      isTold = true
      this.#failures.addHanging(load.file, reason, this.#served.hasEarlier(load.file))
    })
    this.#slowLoads.add(told)
    void load.ended.then(() =>
      this.#options.enqueue(async () => {
        if (isTold && load.result?.isLoaded && this.#served.isCurrent(load))
          this.#log.info({ file }, 'tool file loaded after all')
        await this.#serve([load])
        await this.#options.onServedLate()
      }),
    )
  }

  /** Serves ended loads in place of `removed` and of what the same files served before. */
  async #serve(ended: readonly FileLoad<FileContent>[], removed: readonly ReplacedFile[] = []): Promise<void> {
    const replaced = [...removed]
    const put: CatalogEntry[] = []
    const failed: [file: string, thrown: unknown][] = []
    for (const load of ended) {
      const result = load.result!
      if (!this.#served.isCurrent(load)) replaced.push({ entries: [], version: load.version })
      else if (result.isLoaded) {
        const { entries } = result.content
        const content = this.#withoutOusted(load.file, {
          ...result.content,
          entries: this.#served.findClaimed(load) ?? entries,
        })
        replaced.push(...this.#served.replace(load, content))
        put.push(...content.entries)
      } else {
        replaced.push(this.#served.keepEarlier(load))
        failed.push([load.file, result.thrown])
      }
    }
    const report = this.#replace(replaced, put)
    if (report !== undefined) {
      this.#log.info(report.fields, `tools folder reloaded: ${report.text}`)
      this.#options.onChanged(report.fields)
    }
    // Only now: what the new files share with them stays open.
    for (const { version } of replaced) version?.retire()
    // Finding the line may take a while, so it comes last.
    for (const [file, thrown] of failed) await this.#failures.addThrown(file, thrown, this.#served.hasEarlier(file))
  }

  /** @returns what to log; undefined if that is nothing */
  #replace(replaced: readonly ReplacedFile[], put: readonly CatalogEntry[]): ReloadReport | undefined {
    const entries = replaced.flatMap(each => each.entries)
    const gone = entries.filter(entry => this.#catalog.findHolder(entry) === entry)
    if (gone.length + put.length === 0) return undefined
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    return this.#hasLoaded ? describeReload(exchanged, this.#catalog, this.#options.sources) : undefined
  }

  /** Reads a file, and claims for it what it defines. @throws Error if it defines nothing */
  #read(file: FileBeingRead, exported: Exported): FileContent {
    // Replaced while it was imported.
    if (file.version.isRetired) return { entries: [], isWhole: false, hasRefused: false, duplicates: [], rules: {} }
    const content = this.#definitions.read(file, exported)
    this.#served.claim(file.file, content.entries)
    return content
  }

  // Those of a reload are in the log alone: a server that runs on would collect them without end.
  #onCloseFailed(failure: CloseFailure): void {
    if (this.#isClosed) this.#failures.addClosing(failure)
  }

  #createServer(file: string, version: FileVersion, build: FileEntries['build']): ToolServer {
    const change: ChangeNow = (removed, put) => this.#changeNow(removed, put)
    const find = () => this.#served.findOfVersion(file, version)
    const entries = createFileEntries(file, { served: this.#served, find, build, change })
    return createFileServer({ ...this.#options, file, isCurrent: () => find() !== undefined, entries })
  }

  /** Serves what a file has changed at run time; another may have what it has given up. */
  #changeNow(removed: readonly CatalogEntry[], put: readonly CatalogEntry[]): void {
    const report = this.#replace([{ entries: removed }], put)
    // What is added again as it is may come every second.
    if (report !== undefined && Object.keys(report.fields).some(kind => kind !== 'reloaded')) {
      this.#log.info(report.fields, `tools changed by their files: ${report.text}`)
      this.#options.onChanged(report.fields)
    }
    void this.#options.enqueue(() => this.#options.onServedLate())
  }

  /** Whether it is to be set up: what it serves runs here, or its `setup` says what it serves. */
  #isUsedHere({ takesServer }: FileVersion, { entries, isWhole }: FileContent): boolean {
    if (entries.some(entry => this.#runsHere(entry))) return true
    return takesServer && isWhole && entries.every(entry => this.#catalog.isWanted(entry))
  }

  /** Whether the entry is served, and not only in processes of its own: its rules run here. */
  #runsHere(entry: CatalogEntry): boolean {
    const isElsewhere = entry.kind === 'tool' && entry.isIsolated && !entry.visible && entry.onCall.length === 0
    return this.#catalog.isWanted(entry) && !isElsewhere
  }

  /** Refuses what an earlier folder has begun to define while the file was loading. */
  #withoutOusted(file: string, content: FileContent): FileContent {
    const ousted = this.#served.findOusted(content.entries)
    if (ousted.size === 0) return content
    for (const [entry, owner] of this.#options.givesWay ? [] : ousted)
      this.#failures.addRefused(file, createDuplicateError(entry, owner), { definition: entry.key })
    return {
      ...content,
      entries: content.entries.filter(entry => !ousted.has(entry)),
      isWhole: false,
      duplicates: [...content.duplicates, ...ousted.keys()],
    }
  }
}
