// Serves what the files of the tools folder export, and follows their changes.
// A file that does not load keeps serving what it served before.
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { Hooks } from '../hooks.ts'
import { DefinitionReader, type FileBeingRead, type FileContent } from './definitions.ts'
import { EntrySources } from './entry-sources.ts'
import { FolderFailures } from './failures.ts'
import { FileVersion } from './file-version.ts'
import { findHooksFile, HooksFile } from './hooks-file.ts'
import { type CloseFailure, Lifecycle } from './lifecycle.ts'
import { type Exported, type FileLoad, FileLoader, type FileToLoad, HANG_WARNING_MS } from './load.ts'
import { type LoadGuard, UNGUARDED } from './load-guard.ts'
import { createToolModule, fileName, forgetCommonJs, nextGeneration, resolveToolrack } from './modules.ts'
import { describeReload, isSameEntry } from './reload-log.ts'
import { type FolderContents, MAX_FILES, readFolder, shortReason } from './scan.ts'
import type { FolderWatch } from './watch.ts'

export interface FolderError {
  readonly reason: string
  readonly isMissing: boolean
  /** If it was read before, the old entries are still served. */
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
  /** How long a file may take to load, ms. */
  readonly loadLimitMs?: number
  readonly guard?: LoadGuard
  /** Gets what `_hooks.ts` exports. */
  readonly hooks?: Pick<Hooks, 'setFolder'>
}

const NO_HOOKS: Pick<Hooks, 'setFolder'> = { setFolder: () => false }

/** How long `close` of all files may take at the shutdown, ms. */
const CLOSE_LIMIT_MS = 4000

export class ToolsFolder {
  readonly #root: string
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #hooksFile: HooksFile
  readonly #loader: FileLoader
  readonly #definitions: DefinitionReader
  readonly #lifecycle: Lifecycle
  readonly #failures: FolderFailures
  readonly #served = new Map<string, ServedFile>()
  readonly #sources = new EntrySources()
  #helpersHash = ''
  #helpersGeneration = 0
  #error: FolderError | undefined
  #wasRead = false
  #isClosed = false
  #watch: FolderWatch | undefined
  #loading: Promise<void> = Promise.resolve()
  #hasLoaded = false
  #isEmpty = false
  /** Loads that serving the other files did not wait for. */
  readonly #slowLoads = new Set<Promise<unknown>>()

  constructor(
    root: string,
    catalog: Catalog,
    log: Log,
    { loadLimitMs = HANG_WARNING_MS, guard = UNGUARDED, hooks = NO_HOOKS }: ToolsFolderOptions = {},
  ) {
    // Node identifies modules by their real path.
    this.#root = existsSync(root) ? realpathSync(root) : resolve(root)
    this.#catalog = catalog
    this.#log = log
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#lifecycle = new Lifecycle({ guard, log, onCloseFailed: failure => this.#onCloseFailed(failure) })
    this.#definitions = new DefinitionReader({
      catalog,
      log,
      sources: this.#sources,
      findOtherOwner: (entry, file) => this.#findOtherOwner(entry, file),
      onRefused: (file, thrown, definition) => this.#failures.addRefused(file, thrown, definition),
    })
    this.#failures = new FolderFailures({ root: this.#root, log, guard })
    this.#hooksFile = new HooksFile({
      root: this.#root,
      loader: this.#loader,
      lifecycle: this.#lifecycle,
      failures: this.#failures,
      hooks,
      catalog,
      log,
      isFolderServed: () => this.#served.size > 0,
      onLate: take => void this.#enqueue(async () => ((await take()) ? this.#load() : undefined)),
    })
    resolveToolrack(this.#root)
  }

  /** Why the last attempt to read the folder failed; undefined if it succeeded. */
  get error(): FolderError | undefined {
    const { fault } = this.#hooksFile
    if (this.#error !== undefined || fault === undefined) return this.#error
    return { reason: fault, isMissing: false, wasRead: this.#served.size > 0 }
  }

  get failures(): Pick<FolderFailures, 'latest' | 'closing'> {
    return this.#failures
  }

  /** The file that has the entry, relative to the working directory. */
  findFileName(entry: CatalogEntry): string {
    return this.#sources.findFileName(entry)
  }

  /** Whether it has no file of a tool. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Resolves once every file has loaded, or has taken longer than it may. */
  async settled(): Promise<void> {
    for (let loading: unknown; loading !== this.#loading; ) {
      loading = this.#loading
      await loading
      await Promise.all([this.#hooksFile.settled, ...this.#slowLoads])
    }
  }

  /** Loads and serves changed files, one run at a time. Slow files are served once loaded. */
  load(): Promise<void> {
    return this.#enqueue(() => this.#load())
  }

  async watch(): Promise<void> {
    // Imported only if the folder is watched.
    const { FolderWatch } = await import('./watch.ts')
    this.#watch = new FolderWatch(this.#root, this.#log, () => this.load())
    await this.#watch.ready()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#watch?.close()
    await this.#loading
    await this.#lifecycle.closeAll(CLOSE_LIMIT_MS)
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#loading
      .then(() => (this.#isClosed ? undefined : work()))
      .catch(error => this.#log.error({ err: error, folder: this.#root }, 'tools folder could not be loaded'))
    return this.#loading
  }

  async #load(): Promise<void> {
    const contents = this.#readFolder()
    if (contents !== undefined) await this.#update(contents)
    this.#hasLoaded = true
  }

  async #update(contents: FolderContents): Promise<void> {
    this.#failures.startLoad(contents)
    const generation = nextGeneration()
    const hooks = findHooksFile(this.#root, contents)
    // A fault may come and go without a change of what can be read.
    const helpersHash = `${contents.helpersHash} ${hooks?.fault ?? ''}`
    if (helpersHash !== this.#helpersHash || this.#hooksFile.isToBeTriedAgain) {
      this.#helpersHash = helpersHash
      this.#helpersGeneration = generation
      forgetCommonJs(contents.helpers)
      // Also those that cannot be read now, once they can.
      for (const [file, { entries, version, load }] of this.#served) {
        load?.version.retire()
        this.#served.set(file, { hash: undefined, entries, version })
      }
      await this.#hooksFile.load(hooks, generation)
    }
    if (this.#hooksFile.fault !== undefined) return
    await this.#loadChanged(contents, generation, this.#forgetMissing(contents))
    // A tool may have moved to a file that was read before the one that had it.
    if (this.#hasFreedDuplicates()) await this.#loadChanged(contents, nextGeneration())
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
      const contents = readFolder(this.#root)
      this.#error = undefined
      this.#wasRead = true
      if (contents.isCut) this.#log.warn({ folder: this.#root }, `only the first ${MAX_FILES} files are read`)
      this.#warnIfEmpty(contents.tools.size === 0 ? 'the folder has no file of a tool' : undefined)
      return contents
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#error = { reason: shortReason(error), isMissing, wasRead: this.#wasRead }
      if (isMissing && !this.#wasRead) this.#warnIfEmpty('there is no such folder')
      else this.#log.error({ folder: this.#root, reason: this.#error.reason }, 'tools folder could not be read')
      return undefined
    }
  }

  /** Logs once what to do about a folder that is missing or has no tools. */
  #warnIfEmpty(reason: string | undefined): void {
    const isBare = reason !== undefined
    if (isBare && !this.#isEmpty) {
      const example = `export default { name: 'hello', description: 'Says hello.', handler: () => 'Hello!' }`
      const file = fileName(join(this.#root, 'hello.ts'))
      const hint = `toolrack init makes a project with a first one; or create ${file} with: ${example}; or set TOOLS_DIR to where your tools are`
      this.#log.warn({ folder: this.#root, reason, hint }, 'no tools')
    }
    this.#isEmpty = isBare
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
    const changed = [...tools].filter(([file, hash]) => this.#served.get(file)?.hash !== hash)
    return changed.map(([file, hash]) => {
      const module = createToolModule(this.#root, file, { own: generation, helpers: this.#helpersGeneration })
      const version = new FileVersion(file, this.#lifecycle)
      return {
        file,
        module,
        version,
        begin: load => {
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
      this.#enqueue(async () => {
        if (isTold && load.result?.isLoaded && this.#isCurrent(load))
          this.#log.info({ file }, 'tool file loaded after all')
        await this.#serve([load])
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
        const { content } = result
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
    const { fields, text } = describeReload(exchanged, this.#catalog, this.#sources)
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
    for (const [other, { entries, claimed = entries }] of this.#served) {
      if (other !== file && claimed.some(isSameEntry(entry))) return fileName(other)
    }
    const present = this.#catalog.findHolder(entry)
    const isFree = present === undefined || this.#sources.has(present) || this.#catalog.isFallback(present)
    return isFree ? undefined : 'the program'
  }
}
