// The tools folders of a server, as one: they are loaded in their order, and what a folder defines
// hides the same of those after it. The hooks of each hold for the tools of all, so nothing is
// served before all have loaded.
import type { Log } from '../../request/exchange.ts'
import { toLogged } from '../../text/logged-error.ts'
import { cutText, toOneLine } from '../../text/one-line.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { FolderHooks, Hooks } from '../hooks.ts'
import { createLevels } from '../tool-server.ts'
import { ImportedElsewhere } from './elsewhere.ts'
import { EntrySources } from './entry-sources.ts'
import type { FileFailure } from './failures.ts'
import type { FileLog } from './file-server.ts'
import type { FolderError } from './folder-reader.ts'
import type { LoadRulesOptions } from './hooks-file.ts'
import type { CloseFailure } from './lifecycle.ts'
import { HANG_WARNING_MS } from './load.ts'
import { type LoadGuard, UNGUARDED } from './load-guard.ts'
import { nextGeneration, type PackageEntries, resolveToolrack } from './modules.ts'
import { findImported, type ImportedFiles } from './static-imports.ts'
import { createToolRoots, findFilePath, type ToolRoot } from './tool-roots.ts'
import { ToolsFolder } from './tools-folder.ts'
import type { FolderWatch } from './watch.ts'

/** Variables of tools that files have, such as `GITHUB_TOKEN` by `GITHUB_TOKEN_FILE`. */
export interface VariableFiles {
  readonly names: readonly string[]
  /**
   * Sets the variable, unless something else has set it.
   *
   * @returns another number after each change
   * @throws Error naming the variable of the file
   */
  load(name: string): number
  /** Calls the listener when a file changes. */
  onChange(listener: () => void): void
  close(): void
}

const NO_VARIABLES: VariableFiles = { names: [], load: () => 0, onChange() {}, close() {} }

export interface ToolsFoldersOptions {
  /** How long a file may take to load, ms. */
  readonly loadLimitMs?: number
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

const NO_LOG = createLevels(() => {})

const NO_HOOKS: Pick<Hooks, 'addFolder'> = { addFolder: (): FolderHooks => ({ set: () => [] }) }

/** Problems that are listed, and their length; the rest are counted. */
const MAX_PROBLEMS = 10
const MAX_PROBLEM_LENGTH = 400

export class ToolsFolders {
  readonly #roots: readonly ToolRoot[]
  readonly #watched: readonly ToolRoot[]
  readonly #folders: readonly ToolsFolder[]
  readonly #sources = new EntrySources()
  readonly #log: Log
  readonly #elsewhere: ImportedElsewhere
  #helpersHash: string | undefined
  #watches: readonly FolderWatch[] = []
  #loading: Promise<void> = Promise.resolve()
  #isClosed = false
  readonly #isStrict: boolean
  readonly #variables: VariableFiles
  /** Why variables could not be set, by name. */
  readonly #unsetVariables = new Map<string, string>()
  /** Of those that are set. */
  readonly #variableVersions = new Map<string, number>()
  /** Whether all that the folders have was served at one time. */
  #wasWhole = false
  #wasWarned = false

  /** @param paths in their order; none is within another */
  constructor(paths: readonly string[], catalog: Catalog, log: Log, options: ToolsFoldersOptions = {}) {
    const { loadLimitMs = HANG_WARNING_MS, guard = UNGUARDED, hooks = NO_HOOKS } = options
    const {
      fileLog = () => NO_LOG,
      isStrict = false,
      samplesDir,
      variables = NO_VARIABLES,
      onChanged,
      entries = {},
    } = options
    this.#log = log
    this.#isStrict = isStrict
    this.#variables = variables
    variables.onChange(() => void this.load())
    const roots = createToolRoots(samplesDir === undefined ? paths : [...paths, samplesDir])
    this.#roots = roots
    this.#watched = roots.slice(0, paths.length)
    this.#elsewhere = new ImportedElsewhere(roots, log)
    resolveToolrack(roots, entries)
    this.#folders = roots.map(
      (root, index) =>
        new ToolsFolder(root, {
          catalog,
          log,
          roots,
          loadLimitMs,
          guard,
          fileLog,
          onChanged: fields => onChanged?.(fields),
          hooks: hooks.addFolder(),
          sources: this.#sources,
          givesWay: index >= paths.length,
          mayBeEmpty: samplesDir !== undefined,
          variables: variables.names,
          findEarlierOwner: entry => this.#findOwner(entry, index),
          isAnyServed: () => this.#folders.some(({ isServed }) => isServed),
          enqueue: work => this.#enqueue(work),
          reload: () => this.#load(),
          onServedLate: () => this.#settleDuplicates(),
        }),
    )
  }

  /** Whether the server may be sent calls. After a bad change it stays ready with what it had. */
  get isReady(): boolean {
    if (this.#isStrict && !this.#wasWhole) return false
    // A missing folder may be intended, and may be created later.
    return this.errors.every(({ wasRead, isMissing }) => wasRead || isMissing)
  }

  /** What is not served as the folders have it, each on one line. */
  get problems(): readonly string[] {
    const all = this.#listProblems()
    const shown = all.slice(0, MAX_PROBLEMS).map(each => cutText(toOneLine(each), MAX_PROBLEM_LENGTH))
    return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown
  }

  #listProblems(): readonly string[] {
    const problems = [...this.#unsetVariables.values(), ...this.#folders.flatMap(folder => folder.problems)]
    if (problems.length > 0 || !this.#isStrict || !this.isEmpty) return problems
    return [`tools folder ${this.#roots.map(({ name }) => name).join(', ')}: it has no file of a tool`]
  }

  /** Why a folder could not be read at the last attempt, of each that could not. */
  get errors(): readonly FolderError[] {
    return this.#folders.map(({ error }) => error).filter(error => error !== undefined)
  }

  /** Those of the latest load. */
  get failures(): readonly FileFailure[] {
    return this.#folders.flatMap(({ failures }) => failures.latest)
  }

  /** What could not be closed at the shutdown. */
  get closeFailures(): readonly CloseFailure[] {
    return this.#folders.flatMap(({ failures }) => failures.closing)
  }

  /** The name of the file that has the entry, as the log has it. */
  findFileName(entry: CatalogEntry): string {
    return this.#sources.findFileName(entry)
  }

  /** Where a file is that the log names; undefined if it is none of a folder. */
  findFilePath(name: string): string | undefined {
    return findFilePath(name, this.#roots)
  }

  /** Whether no folder has a file of a tool. */
  get isEmpty(): boolean {
    return this.#folders.every(({ isEmpty }) => isEmpty)
  }

  /** Resolves once every file has loaded, or has taken longer than it may. */
  async settled(): Promise<void> {
    for (let loading: unknown; loading !== this.#loading; ) {
      loading = this.#loading
      await loading
      await Promise.all(this.#folders.map(folder => folder.settled()))
    }
  }

  /** Loads and serves changed files, one run at a time. Slow files are served once loaded. */
  load(options: LoadRulesOptions = {}): Promise<void> {
    return this.#enqueue(() => this.#load(options))
  }

  async watch(): Promise<void> {
    // Imported only if the folders are watched.
    const { FolderWatch } = await import('./watch.ts')
    this.#watches = this.#watched.map(({ path }) => new FolderWatch(path, this.#log, () => this.load()))
    this.#elsewhere.watch(() => void this.load())
    await Promise.all(this.#watches.map(watch => watch.ready()))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#variables.close()
    this.#elsewhere.close()
    await Promise.all(this.#watches.map(watch => watch.close()))
    await this.#loading
    await Promise.all(this.#folders.map(folder => folder.close()))
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#loading
      .then(() => (this.#isClosed ? undefined : work()))
      .catch(error => this.#log.error({ err: toLogged(error) }, 'tools folder could not be loaded'))
      .then(() => this.#followReadiness())
    return this.#loading
  }

  // Only between loads: during one, what has not begun to load is no problem yet.
  #followReadiness(): void {
    if (!this.#isStrict || this.#wasWhole || this.#isClosed) return
    this.#wasWhole = this.#listProblems().length === 0
    if (this.#wasWhole && this.#wasWarned) this.#log.info({}, 'ready: everything of the tools folder has loaded')
    if (!this.#wasWhole && !this.#wasWarned) {
      const hint = 'GET /ready says why; TOOLS_STRICT=false would serve the rest'
      this.#log.warn({ hint }, 'not ready until everything of the tools folder has loaded')
    }
    this.#wasWarned = !this.#wasWhole
  }

  async #load(options: LoadRulesOptions = {}): Promise<void> {
    for (const folder of this.#folders) folder.read()
    let imported: ImportedFiles | undefined
    const find = () => (imported ??= findImported(this.#folders.flatMap(({ startFiles }) => startFiles)))
    for (const folder of this.#folders) folder.placeRules(find)
    // Before any file is imported: its top level may read them.
    for (const folder of this.#folders) for (const name of folder.namedVariables) this.#setVariable(name)
    await this.#loadHooks(options)
    const generation = nextGeneration()
    for (const folder of this.#readableFolders()) if (!(await folder.update(generation))) return this.#load(options)
    for (const folder of this.#folders) folder.endLoad(find)
    this.#elsewhere.follow()
  }

  #setVariable(name: string): void {
    try {
      this.#variableVersions.set(name, this.#variables.load(name))
      this.#unsetVariables.delete(name)
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== this.#unsetVariables.get(name)) this.#log.error({ reason }, 'variable of tools not read')
      this.#unsetVariables.set(name, reason)
    }
  }

  /**
   * A folder may import of another, so a changed helper of one loads the tools of all again. So
   * does a changed file elsewhere, and a variable with another value.
   */
  async #loadHooks(options: LoadRulesOptions): Promise<void> {
    const helpersHash = [...this.#folders.map(each => each.helpersHash), ...this.#variableVersions].join(' ')
    const isAsked = options.dropsRules || this.#folders.some(({ areHooksToBeTriedAgain }) => areHooksToBeTriedAgain)
    if (!this.#elsewhere.read() && helpersHash === this.#helpersHash && !isAsked) return
    this.#helpersHash = helpersHash
    const generation = nextGeneration()
    this.#elsewhere.renew(generation)
    for (const folder of this.#folders) folder.forgetHelpers(generation)
    for (const folder of this.#folders) await folder.loadHooks(generation, options)
  }

  /** Those to be served: none while the rules of one are not known. */
  #readableFolders(): readonly ToolsFolder[] {
    return this.#folders.every(({ areRulesKnown }) => areRulesKnown) ? this.#folders : []
  }

  /** Serves what is free now, and takes away what an earlier folder has now. */
  async #settleDuplicates(): Promise<void> {
    for (const folder of this.#readableFolders()) await folder.settleDuplicates()
    this.#elsewhere.follow()
  }

  #findOwner(entry: CatalogEntry, before: number): string | undefined {
    for (const folder of this.#folders.slice(0, before)) {
      const owner = folder.findOwner(entry)
      if (owner !== undefined) return owner
    }
    return undefined
  }
}
