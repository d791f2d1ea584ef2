// The source that serves the tools folders together. A load reads all folders, loads the changed
// files, and swaps in the next set. An earlier folder hides the same definitions of later ones. The
// hooks of each folder hold for all folders, so nothing is served before all hooks have loaded.
import type { DefinitionSource } from 'toolrack'
import type { CatalogEntry, FolderHooks, InnerTarget, SourceHost } from 'toolrack/definitions'
import type { Log, SourceReload, SourceStatus } from 'toolrack/source'
import { toLogged } from 'toolrack/text'
import { ImportedElsewhere } from './elsewhere.ts'
import { type FailurePlace, type FileFailure, formatFailure } from './failures.ts'
import { FileLoader } from './file-loader.ts'
import { findImported, type ImportedFiles } from './file-texts/static-imports.ts'
import { explainFolderError, type FolderError, FolderReader } from './folder-reader.ts'
import { HooksFile, type LoadRulesOptions } from './hooks-file.ts'
import { HANG_WARNING_MS, Loads, SERVE_WAIT_MS, waitUpTo } from './load.ts'
import { forgetCommonJs, nextGeneration, resolveToolrack } from './modules.ts'
import { type CloseFailure, Openings } from './openings.ts'
import { type ToolFile, ToolFiles } from './tool-files.ts'
import { createToolRoots, fileName, findFilePath, type ToolRoot } from './tool-roots.ts'
import { Variables } from './variables.ts'
import { FolderWatch } from './watch.ts'

export interface FolderSourceOptions extends SourceHost {
  /** How long a file may take to load, ms. */
  readonly loadLimitMs?: number
  /** How long `close` of all files may take at the shutdown, ms. */
  readonly closeLimitMs?: number
  /** True for the folder of samples: leaves out, without a warning, what another source defines. */
  readonly isFallback?: boolean
  /** Whether a folder without tools is not logged, since the server has other tools. */
  readonly mayBeEmpty?: boolean
  /** Where the rules of each folder are put; default: after those of all folders so far. */
  readonly places?: readonly FolderHooks[]
}

const DEFAULTS = { loadLimitMs: HANG_WARNING_MS, closeLimitMs: 4000, isFallback: false, mayBeEmpty: false }

interface Folder {
  readonly root: ToolRoot
  readonly reader: FolderReader
  readonly hooks: HooksFile
}

export class FolderSource implements DefinitionSource {
  readonly name: string
  /** Each hanging file delays the start by 2 s at most, and the others load meanwhile. */
  readonly startWithinMs = 60_000
  readonly #options: FolderSourceOptions & typeof DEFAULTS
  readonly #log: Log
  readonly #roots: readonly ToolRoot[]
  readonly #folders: readonly Folder[]
  readonly #openings: Openings
  readonly #loads: Loads
  readonly #files: ToolFiles
  readonly #loader: FileLoader
  readonly #elsewhere: ImportedElsewhere
  readonly #watch: FolderWatch | undefined
  readonly #variables: Variables
  #target: InnerTarget | undefined
  #closeVariables = () => {}
  /** Whether the latest load served nothing, because hooks of the server are unknown. */
  #isHeld = false
  /** Why the latest load ended early. */
  #fault: string | undefined
  /** Whether all definitions of the folders were once served at the same time. */
  #wasWhole = false
  #wasWarned = false
  #helpersHash: string | undefined
  #helpersGeneration = 0
  #loading: Promise<void> = Promise.resolve()

  /** @param paths in their order; none of them is within another */
  constructor(paths: readonly string[], given: FolderSourceOptions) {
    const options = { ...DEFAULTS, ...given }
    const { log } = options
    const roots = createToolRoots(paths)
    resolveToolrack(roots)
    this.#options = options
    this.#log = log
    this.#roots = roots
    this.name = `tools folder ${roots.map(({ name }) => name).join(', ')}`
    this.#openings = new Openings(options)
    this.#loads = new Loads({ ...options, openings: this.#openings })
    this.#elsewhere = new ImportedElsewhere(roots, log)
    this.#watch = options.isWatched ? new FolderWatch(log, () => void this.load()) : undefined
    this.#variables = new Variables(options.variables, log)
    this.#files = new ToolFiles({
      roots,
      findOwner: definition => this.#target?.findOwner(definition),
      isWanted: definition => this.#target!.isWanted(definition),
    })
    this.#folders = roots.map((root, at) => this.#createFolder(root, given.places?.[at] ?? given.hooks.addFolder()))
    this.#loader = new FileLoader({
      ...options,
      roots,
      files: this.#files,
      openings: this.#openings,
      loads: this.#loads,
      getPlace: root => this.#getPlace(root),
      enqueue: work => this.#enqueue(work),
      put: definitions => this.#target!.put(definitions),
    })
  }

  /** Loads the folders, and follows their changes. */
  async start(target: InnerTarget): Promise<void> {
    const { variables, hooks } = this.#options
    this.#target = target
    this.#closeVariables = variables.onChange(() => void this.load())
    const areKnown = new Promise<void>(resolve => hooks.onKnown(resolve))
    hooks.onKnown(() => (this.#isHeld ? void this.load() : undefined))
    // A file may need its `setup` to serve a name that another source has given up.
    target.onFreed(() => void this.#enqueue(() => this.#serve()))
    if (this.#watch !== undefined) this.#elsewhere.watchBy(this.#watch)
    await this.load()
    // Hooks of another source hold for these tools, too. Missing hooks of this source are an error
    // instead.
    if (this.#isHeld && this.errors.length === 0) await waitUpTo(areKnown, SERVE_WAIT_MS)
    await this.#loading
    this.#loader.tellsChanges = true
  }

  async reload(options: SourceReload): Promise<void> {
    await this.load({ dropsRules: options.dropRules })
    await Promise.all(this.#files.sources.map(each => each.reload(options)))
  }

  status(): SourceStatus {
    const { isStrict } = this.#options
    // A missing folder may be intended, and may be created later.
    const isRead = this.errors.every(({ wasRead, isMissing }) => wasRead || isMissing)
    const areSourcesReady = this.#files.sources.every(each => each.status().isReady)
    return { isReady: isRead && areSourcesReady && (this.#wasWhole || !isStrict), problems: this.#listProblems() }
  }

  /** The reason for each folder that could not be read at the last attempt. */
  get errors(): readonly FolderError[] {
    const wasRead = this.#files.isAnyServed
    return this.#folders.flatMap(({ root, reader: { error }, hooks: { fault, haveLoaded } }) => {
      if (error !== undefined) return [error]
      if (fault === undefined || haveLoaded) return []
      return [{ folder: root.name, reason: fault, isMissing: false, wasRead }]
    })
  }

  /** Files and definitions that are not served, or not in their newest version. */
  get failures(): readonly FileFailure[] {
    const hanging = this.#files.all.flatMap(({ hang }) => hang ?? [])
    return [...this.#listFailures(), ...hanging, ...this.#folders.flatMap(({ hooks }) => hooks.failure ?? [])]
  }

  /** Everything that failed to close at the shutdown. */
  get closeFailures(): readonly CloseFailure[] {
    return this.#openings.failures
  }

  /** Whether the folders contain no tool file. */
  get isEmpty(): boolean {
    return this.#folders.every(({ reader }) => reader.isEmpty)
  }

  /** The name of the file with the entry, as in the log. */
  findFileName(entry: CatalogEntry): string {
    return this.#files.findFileName(entry)
  }

  /** The path of a file that the log names; undefined if it is in no folder. */
  findFilePath(name: string): string | undefined {
    return findFilePath(name, this.#roots)
  }

  /** Resolves once every file has loaded, or has used up its time. */
  async settled(): Promise<void> {
    for (let loading: unknown; loading !== this.#loading; ) {
      loading = this.#loading
      await loading
      await this.#loads.settled()
    }
  }

  /** Loads and serves changed files, one run at a time. Slow files are served once loaded. */
  load(options: LoadRulesOptions = {}): Promise<void> {
    return this.#enqueue(() => this.#load(options))
  }

  async close(): Promise<void> {
    this.#openings.shutDown()
    this.#closeVariables()
    this.#elsewhere.close()
    this.#watch?.close()
    await this.#loading
    await this.#openings.closeAll(this.#options.closeLimitMs)
  }

  #createFolder(root: ToolRoot, place: FolderHooks): Folder {
    const [options, roots] = [this.#options, this.#roots]
    const reader = new FolderReader(root, {
      ...options,
      roots,
      variables: options.variables.names,
      watch: this.#watch,
    })
    const hooks = new HooksFile({
      ...options,
      root,
      roots,
      openings: this.#openings,
      loads: this.#loads,
      hooks: place,
      getPlace: () => this.#getPlace(root),
      isAnyServed: () => this.#files.isAnyServed,
      onLate: take => void this.#enqueue(async () => ((await take()) ? this.#load() : undefined)),
    })
    return { root, reader, hooks }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#loading.then(async () => {
      if (this.#openings.isShutDown) return
      try {
        await work()
        this.#fault = undefined
      } catch (thrown) {
        this.#fault = `${this.name}: it could not be loaded (${this.#options.guard.explain(thrown)})`
        this.#log.error({ err: toLogged(thrown) }, 'tools folder could not be loaded')
      }
      // Only between loads: during a load, a file that has not begun to load is not a problem.
      if (!this.#openings.isShutDown) this.#followReadiness()
    })
    return this.#loading
  }

  /** After a bad change, the server stays ready with its earlier definitions. */
  #followReadiness(): void {
    if (!this.#options.isStrict || this.#wasWhole) return
    this.#wasWhole = this.#listProblems().length === 0
    if (this.#wasWhole && this.#wasWarned) this.#log.info({}, 'ready: everything of the tools folder has loaded')
    if (!this.#wasWhole && !this.#wasWarned) {
      const hint = 'GET /ready says why; TOOLS_STRICT=false would serve the rest'
      this.#log.warn({ hint }, 'not ready until everything of the tools folder has loaded')
    }
    this.#wasWarned = !this.#wasWhole
  }

  async #load(options: LoadRulesOptions = {}): Promise<void> {
    const files = await this.#readFiles(options)
    const ruleFiles = await this.#loader.load(files, { own: nextGeneration(), helpers: this.#helpersGeneration })
    // A file that turned out to have rules for all tools closes the folders.
    if ([...ruleFiles].some(([file, rules]) => this.#noteRules(file, rules))) return this.#load(options)
    await this.#serve()
    let imported: ImportedFiles | undefined
    for (const { reader } of this.#folders) reader.warnOfUnserved(() => (imported ??= this.#findImported()))
    this.#elsewhere.follow()
    this.#watch?.sweep()
  }

  async #serve(): Promise<void> {
    this.#isHeld = !this.#options.hooks.areKnown
    if (!this.#isHeld) await this.#loader.serve()
  }

  /** @returns whether this was unknown */
  #noteRules({ path, root }: ToolFile, rules: readonly string[]): boolean {
    return this.#folders.find(each => each.root === root)!.reader.noteRules(path, rules)
  }

  /** Reads the folders, and loads their hooks. @returns the files to be loaded */
  async #readFiles(options: LoadRulesOptions): Promise<readonly ToolFile[]> {
    for (const { reader } of this.#folders) reader.read()
    let imported: ImportedFiles | undefined
    for (const { reader } of this.#folders) reader.placeRules(() => (imported ??= this.#findImported()))
    // Before any file is imported, since its top level may read the variables.
    for (const { reader } of this.#folders) for (const name of reader.contents?.words ?? []) this.#variables.set(name)
    await this.#loadHooks(options)
    if (!this.#options.hooks.areKnown) return []
    return this.#folders.flatMap(({ root, reader: { contents } }) => {
      if (contents === undefined) return []
      this.#files.removeMissing(root, contents)
      return this.#files.findChanged(root, contents)
    })
  }

  #findImported(): ImportedFiles {
    return findImported(
      this.#folders.flatMap(({ reader }) => [...(reader.contents?.tools.keys() ?? []), ...reader.hooksFiles]),
    )
  }

  /**
   * A file may import from another folder, so a changed helper reloads the tools of all folders. So
   * does a changed file outside of them, and a variable with a new value.
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
    for (const { reader, hooks } of this.#folders) {
      // A folder that has never existed has no hooks.
      const isMissing = reader.error?.isMissing && !reader.wasRead
      if (reader.contents !== undefined || isMissing) await hooks.load(reader.foundHooks, generation, options)
    }
  }

  #getPlace(root: ToolRoot): FailurePlace {
    const folder = this.#folders.find(each => each.root === root)
    return { root: root.path, helpers: folder?.reader.contents?.helpers ?? [] }
  }

  /** Why definitions are not served, one line each. */
  #listProblems(): readonly string[] {
    const isHeldByOthers = this.#isHeld && this.errors.length === 0
    const stale = this.#folders.filter(({ hooks }) => hooks.haveLoaded).flatMap(({ hooks }) => hooks.fault ?? [])
    const problems = [
      ...(this.#fault === undefined ? [] : [this.#fault]),
      ...(isHeldByOthers ? [`${this.name}: it is not served before the hooks of all folders are known`] : []),
      ...this.#variables.problems,
      ...this.errors.map(explainFolderError),
      ...stale.map(fault => `${fault}; the earlier hooks stay`),
      ...this.#listFailures().map(formatFailure),
      ...this.#files.loading.map(({ path }) => `${fileName(path)}: it has not loaded yet`),
      ...this.#files.sources.flatMap(each => each.status().problems),
      ...this.#folders.flatMap(({ reader }) => reader.problems),
    ]
    const { isStrict, mayBeEmpty } = this.#options
    const isBare = problems.length === 0 && isStrict && !mayBeEmpty && this.isEmpty
    return isBare ? [`${this.name}: it has no file of a tool`] : problems
  }

  /** Failures of files that have finished loading, except the hooks. */
  #listFailures(): readonly FileFailure[] {
    const skipped = this.#folders.flatMap(({ reader }) => [...(reader.contents?.skipped ?? [])])
    return [...skipped.map(([path, { reason }]) => ({ file: fileName(path), reason })), ...this.#loader.failures]
  }
}
