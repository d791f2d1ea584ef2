// The source that serves the tools folders of a server, as one: a load reads all, loads what has
// changed, and swaps what is served for the next set. What a folder defines hides the same of those
// after it; the hooks of each hold for the tools of all, so nothing is served before all have loaded.
import type { Log } from '../../request/exchange.ts'
import { toLogged } from '../../text/logged-error.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { FolderHooks, Hooks } from '../hooks.ts'
import type { DefinitionSource, SourceReload, SourceStatus } from '../source.ts'
import type { InnerTarget } from '../sources.ts'
import { createLevels, type ToolServer } from '../tool-server.ts'
import { createDuplicateError, DefinitionReader, RulesAlone } from './definitions.ts'
import { ImportedElsewhere } from './elsewhere.ts'
import { EntrySources } from './entry-sources.ts'
import {
  describeFailure,
  type FailurePlace,
  type FileFailure,
  formatFailure,
  logNotLoaded,
  logRefused,
} from './failures.ts'
import { createFileServer, type FileEntries, type FileLog } from './file-server.ts'
import { FileVersion } from './file-version.ts'
import { explainFolderError, type FolderError, FolderReader } from './folder-reader.ts'
import { HooksFile, type LoadRulesOptions } from './hooks-file.ts'
import { explainHang, HANG_WARNING_MS, loadInTurn } from './load.ts'
import { type LoadGuard, UNGUARDED } from './load-guard.ts'
import {
  createToolModule,
  forgetCommonJs,
  importModule,
  nextGeneration,
  type PackageEntries,
  resolveToolrack,
  type ToolModule,
} from './modules.ts'
import { type CloseFailure, Openings } from './openings.ts'
import { Readiness } from './readiness.ts'
import { type CatalogExchange, describeReload } from './reload-log.ts'
import { findImported, type ImportedFiles } from './static-imports.ts'
import { type LoadedFile, type ToolFile, ToolFiles } from './tool-files.ts'
import { createToolRoots, fileName, findFilePath, type ToolRoot } from './tool-roots.ts'
import { NO_VARIABLES, type VariableFiles, Variables } from './variables.ts'
import type { FolderWatch } from './watch.ts'

export interface FolderSourceOptions {
  readonly catalog: Catalog
  readonly log: Log
  /** Whether changes of files load them. */
  readonly isWatched?: boolean
  /** How long a file may take to load, ms. */
  readonly loadLimitMs?: number
  /** How long `close` of all files may take at the shutdown, ms. */
  readonly closeLimitMs?: number
  readonly guard?: LoadGuard
  /** Default: files cannot log outside of calls. */
  readonly fileLog?: FileLog
  /** Gets what each `_hooks.ts` exports. */
  readonly hooks?: Pick<Hooks, 'addFolder'>
  /** Whether the server is not ready before all that the folders have was served at one time. */
  readonly isStrict?: boolean
  /** A folder behind the others: it gives way to all of them, and is not watched. */
  readonly samplesDir?: string | undefined
  readonly variables?: VariableFiles
  /** Default: files cannot import `toolrack`, unless a package above them is it. */
  readonly entries?: PackageEntries
  /** What is served has changed since the first load. @param fields the names, by kind of change */
  onChanged?(fields: Readonly<Record<string, string>>): void
}

interface FileToLoad {
  readonly loaded: LoadedFile
  work(): Promise<void>
}

interface Folder {
  readonly root: ToolRoot
  /** Whether what others define too is left out without a word. */
  readonly givesWay: boolean
  readonly reader: FolderReader
  readonly hooks: HooksFile
}

const NO_LOG = createLevels(() => {})
const NO_HOOKS: Pick<Hooks, 'addFolder'> = { addFolder: (): FolderHooks => ({ set: () => [] }) }
const CLOSE_LIMIT_MS = 4000

export class FolderSource implements DefinitionSource {
  readonly name: string
  /** Each file that hangs holds it up for 2 s at most, and the others load meanwhile. */
  readonly startWithinMs = 60_000
  readonly #options: FolderSourceOptions
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #guard: LoadGuard
  readonly #loadLimitMs: number
  readonly #roots: readonly ToolRoot[]
  readonly #folders: readonly Folder[]
  readonly #files: ToolFiles
  readonly #openings: Openings
  readonly #sources = new EntrySources()
  readonly #definitions: DefinitionReader
  readonly #elsewhere: ImportedElsewhere
  readonly #variables: Variables
  readonly #readiness: Readiness
  #target: InnerTarget | undefined
  #helpersHash: string | undefined
  #helpersGeneration = 0
  #watches: readonly FolderWatch[] = []
  #loading: Promise<void> = Promise.resolve()
  #hasLoaded = false
  #isClosed = false
  /** Loads that the others have not waited for, until the log has said so. */
  readonly #slow = new Set<Promise<void>>()

  /** @param paths in their order; none is within another */
  constructor(paths: readonly string[], options: FolderSourceOptions) {
    const { catalog, log, guard = UNGUARDED, loadLimitMs = HANG_WARNING_MS, samplesDir, entries = {} } = options
    this.#options = options
    this.#catalog = catalog
    this.#log = log
    this.#guard = guard
    this.#loadLimitMs = loadLimitMs
    const roots = createToolRoots(samplesDir === undefined ? paths : [...paths, samplesDir])
    this.#roots = roots
    this.name = `tools folder ${roots.map(({ name }) => name).join(', ')}`
    resolveToolrack(roots, entries)
    this.#openings = new Openings({ guard, log })
    this.#definitions = new DefinitionReader({ catalog, log, guard, sources: this.#sources })
    this.#elsewhere = new ImportedElsewhere(roots, log)
    this.#variables = new Variables(options.variables ?? NO_VARIABLES, log)
    this.#files = new ToolFiles({ catalog, roots, findOwner: entry => this.#target?.findOwner(entry) })
    this.#folders = roots.map((root, index) => this.#createFolder(root, index >= paths.length))
    this.#readiness = new Readiness({ log, isStrict: options.isStrict ?? false })
  }

  /** Loads the folders, and follows their changes. */
  async start(target: InnerTarget): Promise<void> {
    this.#target = target
    this.#options.variables?.onChange(() => void this.load())
    // Watched first, so that a change during the load triggers another load.
    if (this.#options.isWatched) await this.#watch()
    await this.load()
  }

  reload({ dropRules }: SourceReload): Promise<void> {
    return this.load({ dropsRules: dropRules })
  }

  status(): SourceStatus {
    return this.#readiness.describe(this.#listProblems(), this.errors)
  }

  /** Why a folder could not be read at the last attempt, of each that could not. */
  get errors(): readonly FolderError[] {
    return this.#folders.flatMap(({ root, reader: { error }, hooks: { fault } }) => {
      if (error !== undefined) return [error]
      const wasRead = this.#files.all.length > 0
      return fault === undefined ? [] : [{ folder: root.name, reason: fault, isMissing: false, wasRead }]
    })
  }

  /** Files and definitions that are not served as the folders have them. */
  get failures(): readonly FileFailure[] {
    const hanging = this.#files.all.flatMap(({ hang }) => hang ?? [])
    return [...this.#listFailures(), ...hanging, ...this.#folders.flatMap(({ hooks }) => hooks.failures)]
  }

  /** What could not be closed at the shutdown. */
  get closeFailures(): readonly CloseFailure[] {
    return this.#openings.failures
  }

  /** Whether no folder has a file of a tool. */
  get isEmpty(): boolean {
    return this.#folders.every(({ reader }) => reader.isEmpty)
  }

  /** The name of the file that has the entry, as the log has it. */
  findFileName(entry: CatalogEntry): string {
    return this.#sources.findFileName(entry)
  }

  /** Where a file is that the log names; undefined if it is none of a folder. */
  findFilePath(name: string): string | undefined {
    return findFilePath(name, this.#roots)
  }

  /** Resolves once every file has loaded, or has taken longer than it may. */
  async settled(): Promise<void> {
    for (let loading: unknown; loading !== this.#loading; ) {
      loading = this.#loading
      await loading
      await Promise.all([...this.#folders.map(({ hooks }) => hooks.settled), ...this.#slow])
    }
  }

  /** Loads and serves changed files, one run at a time. Slow files are served once loaded. */
  load(options: LoadRulesOptions = {}): Promise<void> {
    return this.#enqueue(() => this.#load(options))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#options.variables?.close()
    this.#elsewhere.close()
    await Promise.all(this.#watches.map(watch => watch.close()))
    await this.#loading
    await this.#openings.closeAll(this.#options.closeLimitMs ?? CLOSE_LIMIT_MS)
  }

  async #watch(): Promise<void> {
    // Imported only if the folders are watched.
    const { FolderWatch } = await import('./watch.ts')
    const watched = this.#folders.filter(({ givesWay }) => !givesWay)
    this.#watches = watched.map(({ root }) => new FolderWatch(root.path, this.#log, () => this.load()))
    this.#elsewhere.watch(() => void this.load())
    await Promise.all(this.#watches.map(watch => watch.ready()))
  }

  #createFolder(root: ToolRoot, givesWay: boolean): Folder {
    const { hooks = NO_HOOKS, samplesDir, variables = NO_VARIABLES, fileLog = () => NO_LOG } = this.#options
    const [catalog, log, roots, guard] = [this.#catalog, this.#log, this.#roots, this.#guard]
    const mayBeEmpty = samplesDir !== undefined
    const reader = new FolderReader(root, { log, roots, variables: variables.names, mayBeEmpty })
    const hooksFile = new HooksFile({
      root,
      roots,
      catalog,
      log,
      guard,
      fileLog,
      openings: this.#openings,
      sources: this.#sources,
      loadLimitMs: this.#loadLimitMs,
      hooks: hooks.addFolder(),
      getPlace: () => this.#getPlace(root),
      isAnyServed: () => this.#files.all.length > 0,
      onChanged: fields => this.#options.onChanged?.(fields),
      onLate: take => void this.#enqueue(async () => ((await take()) ? this.#load() : undefined)),
    })
    return { root, givesWay, reader, hooks: hooksFile }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#loading
      .then(() => (this.#isClosed ? undefined : work()))
      .catch(error => this.#log.error({ err: toLogged(error) }, 'tools folder could not be loaded'))
      // Only between loads: during one, what has not begun to load is no problem yet.
      .then(() => (this.#isClosed ? undefined : this.#readiness.follow(this.#listProblems())))
    return this.#loading
  }

  async #load(options: LoadRulesOptions = {}): Promise<void> {
    const files = await this.#readFiles(options)
    const generation = nextGeneration()
    const loads = files.map(file => this.#begin(file, generation))
    await this.#loadInTurn(loads)
    // A file that has turned out to have rules for all closes the folders.
    if (loads.some(each => this.#noteRules(each))) return this.#load(options)
    await this.#settle()
    this.#hasLoaded = true
    let imported: ImportedFiles | undefined
    for (const { reader } of this.#folders) reader.warnOfUnserved(() => (imported ??= this.#findImported()))
    this.#elsewhere.follow()
  }

  /** Reads the folders, and loads their hooks. @returns the files to be loaded */
  async #readFiles(options: LoadRulesOptions): Promise<readonly ToolFile[]> {
    for (const { reader } of this.#folders) reader.read()
    let imported: ImportedFiles | undefined
    for (const { reader } of this.#folders) reader.placeRules(() => (imported ??= this.#findImported()))
    // Before any file is imported: its top level may read them.
    for (const { reader } of this.#folders) for (const name of reader.contents?.words ?? []) this.#variables.set(name)
    await this.#loadHooks(options)
    if (!this.#areRulesKnown) return []
    return this.#folders.flatMap(({ root, givesWay, reader: { contents } }) => {
      if (contents === undefined) return []
      this.#files.removeMissing(root, contents)
      return this.#files.findChanged(root, givesWay, contents)
    })
  }

  #findImported(): ImportedFiles {
    return findImported(
      this.#folders.flatMap(({ reader }) => [...(reader.contents?.tools.keys() ?? []), ...reader.hooksFiles]),
    )
  }

  /**
   * A folder may import of another, so a changed helper of one loads the tools of all again. So
   * does a changed file elsewhere, and a variable with another value.
   */
  async #loadHooks(options: LoadRulesOptions): Promise<void> {
    const hash = [...this.#folders.map(({ reader }) => reader.helpersHash), this.#variables.hash].join(' ')
    const isAsked = options.dropsRules || this.#folders.some(({ hooks }) => hooks.isToBeTriedAgain)
    if (!this.#elsewhere.read() && hash === this.#helpersHash && !isAsked) return
    this.#helpersHash = hash
    const generation = nextGeneration()
    this.#helpersGeneration = generation
    this.#elsewhere.renew(generation)
    for (const { reader } of this.#folders)
      forgetCommonJs([...(reader.contents?.helpers ?? []), ...(reader.contents?.tools.keys() ?? [])])
    this.#files.forgetHashes()
    for (const { reader, hooks } of this.#folders)
      if (reader.contents !== undefined) await hooks.load(reader.foundHooks, generation, options)
  }

  /** Whether the hooks of all folders hold: only then may other tools be served. */
  get #areRulesKnown(): boolean {
    return this.#folders.every(({ reader, hooks }) => reader.wasRead && hooks.fault === undefined)
  }

  /** Prepares to load a file. */
  #begin(file: ToolFile, generation: number): FileToLoad {
    const generations = { own: generation, helpers: this.#helpersGeneration, roots: this.#roots }
    const module = createToolModule(file.root.path, file.path, generations)
    const version = new FileVersion(file.path, this.#openings, () => this.#createServer(loaded, module))
    const loaded: LoadedFile = this.#files.begin(file, version)
    return { loaded, work: () => this.#open(loaded, module) }
  }

  async #open(loaded: LoadedFile, module: ToolModule): Promise<void> {
    const { file, version } = loaded
    const exported = await importModule(module)
    version.adopt(exported)
    // Replaced while it was imported.
    if (!this.#files.isCurrent(loaded)) return
    loaded.content = this.#definitions.read({ file: file.path, module, version }, exported, file.serving)
    if (this.#files.isToBeSetUp(loaded)) await version.setUp()
  }

  /** Runs the work of each. Those that have not ended in time are taken over once they have. */
  async #loadInTurn(files: readonly FileToLoad[]): Promise<void> {
    const starts = files.map(({ loaded: { file, version }, work }) => {
      return () => version.load(() => this.#guard.load(fileName(file.path), work))
    })
    await loadInTurn(starts, this.#loadLimitMs)
    for (const { loaded } of files) if (loaded.version.isUnderWay) this.#followLate(loaded)
  }

  /** Logs that a file hangs, and serves it if it loads later. */
  #followLate(loaded: LoadedFile): void {
    const { file, version } = loaded
    const told = explainHang(version, this.#loadLimitMs).then(reason => {
      this.#slow.delete(told)
      if (reason === undefined || this.#isClosed || !this.#files.isCurrent(loaded)) return
      file.hang = { file: fileName(file.path), reason }
      logNotLoaded(this.#log, file.hang, file.serving.length > 0)
    })
    this.#slow.add(told)
    const takeOver = async () => {
      if (file.hang !== undefined && this.#files.isCurrent(loaded) && !version.hasFailed)
        this.#log.info({ file: fileName(file.path) }, 'tool file loaded after all')
      if (this.#files.isCurrent(loaded)) file.hang = undefined
      await this.#settle()
      this.#elsewhere.follow()
    }
    void version.ended.then(() => this.#enqueue(takeOver))
  }

  /** @returns whether it is news that the file has rules for all */
  #noteRules({ loaded: { file, version } }: FileToLoad): boolean {
    const { reader } = this.#folders.find(({ root }) => root === file.root)!
    return version.thrown instanceof RulesAlone && reader.noteRules(file.path, version.thrown.rules)
  }

  /** Takes over what has loaded: sets up what comes to be served, and serves the next set. */
  async #settle(): Promise<void> {
    if (!this.#areRulesKnown) return
    const failed = [...this.#files.takeFailed()]
    for (let unready = this.#files.findUnready(); unready.length > 0; unready = this.#files.findUnready()) {
      await this.#loadInTurn(unready.map(loaded => ({ loaded, work: () => loaded.version.setUp() })))
      failed.push(...this.#files.takeFailed())
    }
    this.#swap('tools folder reloaded')
    // Finding the line may take a while, so it comes last.
    for (const [file, thrown] of failed) {
      file.failure = await describeFailure(file.path, thrown, this.#getPlace(file.root), this.#guard)
      logNotLoaded(this.#log, file.failure, file.serving.length > 0)
    }
  }

  /** @param promotes whether versions that have loaded since are served */
  #swap(text: string, { promotes = true } = {}): void {
    const known = new Set(this.#listDuplicates().map(formatFailure))
    this.#announce(this.#files.swap(promotes), text, promotes)
    // Only now: what the new versions share with them stays open.
    this.#files.retireUnused()
    for (const each of this.#listDuplicates()) if (!known.has(formatFailure(each))) logRefused(this.#log, each, false)
  }

  #announce({ removed, put }: CatalogExchange, text: string, tellsReloaded: boolean): void {
    if (removed.length + put.length === 0) return
    const exchange = { removed: removed.filter(entry => this.#catalog.isServed(entry)), put }
    this.#target?.put(this.#files.served.map(entry => this.#sources.getDefinition(entry)))
    if (!this.#hasLoaded) return
    const report = describeReload(exchange, this.#catalog, this.#sources)
    // What is added again as it is may come every second.
    if (!tellsReloaded && Object.keys(report.fields).every(kind => kind === 'reloaded')) return
    this.#log.info(report.fields, `${text}: ${report.text}`)
    this.#options.onChanged?.(report.fields)
  }

  #createServer(loaded: LoadedFile, module: ToolModule): ToolServer {
    const { file, version } = loaded
    const { fileLog = () => NO_LOG } = this.#options
    const entries: FileEntries = {
      list: () => loaded.content!.entries.filter(each => file.current !== loaded || file.serving.includes(each)),
      build: definition => {
        const { rules } = loaded.content!
        const entry = this.#definitions.buildAdded({ file: file.path, module, version }, rules, definition)
        const owner = this.#files.findOtherOwner(loaded, entry)
        if (owner !== undefined) throw createDuplicateError(entry, owner)
        return entry
      },
      change: (removed, put) => {
        const { entries: before } = loaded.content!
        loaded.content = { ...loaded.content!, entries: [...before.filter(each => !removed.includes(each)), ...put] }
        if (file.current === loaded) this.#changeNow()
      },
    }
    const parts = { catalog: this.#catalog, sources: this.#sources, log: this.#log, fileLog, entries }
    return createFileServer({ ...parts, file: file.path, isCurrent: () => this.#files.isCurrent(loaded) })
  }

  /** Serves what a file has changed at run time; another may have to be set up for what it gives up. */
  #changeNow(): void {
    this.#swap('tools changed by their files', { promotes: false })
    void this.#enqueue(() => this.#settle())
  }

  #getPlace({ path }: ToolRoot): FailurePlace {
    const folder = this.#folders.find(({ root }) => root.path === path)
    return { root: path, helpers: folder?.reader.contents?.helpers ?? [] }
  }

  /** What is not served as the folders have it, each on one line. */
  #listProblems(): readonly string[] {
    const problems = [
      ...this.#variables.problems,
      ...this.#folders.flatMap(({ hooks: { newerFault } }) =>
        newerFault === undefined ? [] : [`${newerFault}; the earlier hooks stay`],
      ),
      ...this.errors.map(explainFolderError),
      ...this.#listFailures().map(formatFailure),
      ...this.#files.loading.map(({ path }) => `${fileName(path)}: it has not loaded yet`),
      ...this.#folders.flatMap(({ reader }) => reader.problems),
    ]
    const isBare = problems.length === 0 && this.#options.isStrict === true && this.isEmpty
    return isBare ? [`${this.name}: it has no file of a tool`] : problems
  }

  /** Those of files that have ended loading, but for the hooks. */
  #listFailures(): readonly FileFailure[] {
    const skipped = this.#folders.flatMap(({ reader }) => [...(reader.contents?.skipped ?? [])])
    return [
      ...skipped.map(([path, { reason }]) => ({ file: fileName(path), reason })),
      ...this.#files.all.flatMap(({ failure, current }) => [
        ...(failure ? [failure] : []),
        ...(current?.content?.refused ?? []),
      ]),
      ...this.#listDuplicates(),
    ]
  }

  #listDuplicates(): readonly FileFailure[] {
    return this.#files.duplicates.map(({ file, entry, owner }) => {
      const error = createDuplicateError(entry, typeof owner === 'string' ? owner : fileName(owner.path))
      return { file: fileName(file.path), reason: this.#guard.explain(error), definition: entry.key }
    })
  }
}
