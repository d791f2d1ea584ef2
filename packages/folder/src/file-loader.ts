// Loads versions of tool files, and serves the next set of definitions of all files.
import type { Definition, DefinitionSource, ToolServer } from 'toolrack'
import {
  type Built,
  type Catalog,
  findOrigin,
  findRoot,
  getQualifiedKey,
  isSource,
  type LoadGuard,
  MAX_DEFINITIONS,
  type ToolModule,
} from 'toolrack/definitions'
import type { Log, SourceTarget } from 'toolrack/source'
import {
  createDuplicateError,
  DefinitionReader,
  explainNoDefinitions,
  findDefinitions,
  RulesAlone,
} from './definitions.ts'
import {
  describeFailure,
  type FailurePlace,
  type FileFailure,
  formatFailure,
  logNotLoaded,
  logRefused,
  ToldReasons,
} from './failures.ts'
import { createFileServer, type FileEntries, type FileLog } from './file-server.ts'
import { FileSources } from './file-sources.ts'
import { FileVersion } from './file-version.ts'
import type { Load, Loads } from './load.ts'
import { createToolModule, importModule } from './modules.ts'
import type { Openings } from './openings.ts'
import { describeReload, type Exchange, type Outcome } from './reload-log.ts'
import type { LoadedFile, ToolFile, ToolFiles } from './tool-files.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface FileLoaderOptions {
  readonly catalog: Catalog
  readonly log: Log
  readonly guard: LoadGuard
  readonly files: ToolFiles
  readonly openings: Openings
  readonly loads: Loads
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  /** True for the folder of samples: leaves out, without a warning, what another source defines. */
  readonly isFallback: boolean
  /** Logs on behalf of a file, outside of a call. */
  readonly fileLog: FileLog
  /** Other places where the error of a file of this folder may be. */
  getPlace(root: ToolRoot): FailurePlace
  /** Runs work while no load is under way. */
  enqueue(work: () => Promise<void>): Promise<void>
  readonly put: SourceTarget['put']
  /**
   * Called when the served definitions have changed since the start.
   *
   * @param fields the names, by kind of change
   */
  onChanged(fields: Readonly<Record<string, string>>): void
}

export interface Generations {
  /** Generation of the loaded files. */
  readonly own: number
  /** Generation of the files that they import from the folders. */
  readonly helpers: number
}

export class FileLoader {
  /** Whether changes are logged: those of the start are in the start-up report. */
  tellsChanges = false
  readonly #options: FileLoaderOptions
  readonly #files: ToolFiles
  readonly #log: Log
  readonly #definitions: DefinitionReader
  /**
   * Definitions that were served after the last swap. A transform may have made other definitions of
   * them.
   */
  #served: ReadonlySet<Definition> = new Set()
  /** Whether the latest set could not be put, and must be put again. */
  #isToBePut = false
  /** Definitions that a transform has made invalid. */
  #unfit: readonly FileFailure[] = []
  /** Logged reasons for definitions that are not served. */
  readonly #told = new ToldReasons()

  constructor(options: FileLoaderOptions) {
    this.#options = options
    this.#files = options.files
    this.#log = options.log
    this.#definitions = new DefinitionReader(options)
  }

  /** Files and definitions that are not served, or not in their newest version. */
  get failures(): readonly FileFailure[] {
    const own = this.#files.all.flatMap(({ failure, current }) => [
      ...(failure === undefined ? [] : [failure]),
      ...(current?.content?.refused ?? []),
    ])
    return [...own, ...this.#listUnserved()]
  }

  /** @returns files that turned out to have rules for all tools, and the rules */
  async load(files: readonly ToolFile[], generations: Generations): Promise<ReadonlyMap<ToolFile, readonly string[]>> {
    const loads = files.map(file => this.#begin(file, generations))
    await this.#options.loads.run(loads)
    const rules = files.map((file, at) => [file, loads[at]!.version.thrown] as const)
    return new Map(rules.flatMap(([file, thrown]) => (thrown instanceof RulesAlone ? [[file, thrown.rules]] : [])))
  }

  /** Takes over the loaded versions: runs `setup` of those to be served, then serves the next set. */
  async serve(): Promise<void> {
    const failed = [...this.#files.takeFailed()]
    for (let unready = this.#files.findUnready(); unready.length > 0; unready = this.#files.findUnready()) {
      await this.#options.loads.run(unready.map(loaded => this.#createLoad(loaded, () => loaded.version.setUp())))
      failed.push(...this.#files.takeFailed())
    }
    this.#swap(changes => `tools folder reloaded: ${changes}`)
    // Last, because it may take a while to find the line.
    const { getPlace, guard } = this.#options
    for (const { file, version } of failed) {
      file.failure = await describeFailure(file.path, version.thrown, getPlace(file.root), guard)
      logNotLoaded(this.#log, file.failure, file.serving.length > 0)
    }
  }

  #begin(file: ToolFile, generations: Generations): Load {
    const { roots, openings } = this.#options
    const module = createToolModule(file.root.path, file.path, { ...generations, roots })
    const version = new FileVersion(file.path, openings, () => this.#createServer(loaded, module))
    const loaded: LoadedFile = this.#files.begin(file, version)
    return this.#createLoad(loaded, () => this.#open(loaded, module))
  }

  async #open(loaded: LoadedFile, module: ToolModule): Promise<void> {
    const { file, version } = loaded
    const exported = await importModule(module)
    version.adopt(exported)
    // A newer version replaced it while it was imported.
    if (!this.#files.isCurrent(loaded)) return
    const definitions = findDefinitions(exported)
    // Also catches an editor that empties a file before it writes it.
    if (definitions === undefined) throw explainNoDefinitions(this.#options.catalog.hints, exported, file.path)
    const sources = definitions.filter(isSource)
    if (sources.length > 0) version.adoptSources(this.#createSources(loaded, module, sources))
    loaded.content = this.#definitions.read({ file: file.path, module, version }, exported, definitions, file.serving)
    const findOwner = this.#files.findOtherOwners(loaded)
    for (const built of loaded.content.built) if (findOwner(built) === undefined) this.#warnOfMistakes(loaded, built)
    if (this.#files.isToBeSetUp(loaded)) await version.setUp()
  }

  #createLoad(loaded: LoadedFile, work: () => Promise<void>): Load {
    const { file, version } = loaded
    const onHang = (reason: string) => {
      if (!this.#files.isCurrent(loaded)) return
      file.hang = { file: fileName(file.path), reason }
      logNotLoaded(this.#log, file.hang, file.serving.length > 0)
    }
    const takeOver = () => {
      if (this.#files.isCurrent(loaded)) {
        if (file.hang !== undefined && version.phase !== 'failed')
          this.#log.info({ file: file.hang.file }, 'slow tool file has loaded')
        file.hang = undefined
      }
      return this.serve()
    }
    return { version, work, onHang, onLate: () => void this.#options.enqueue(takeOver) }
  }

  /** @param promotes whether newly loaded versions are served */
  #swap(toText: (changes: string) => string, { promotes = true } = {}): void {
    this.#announce(this.#files.swap(promotes), toText, promotes)
    // Only now, so that everything that the new versions share with them stays open.
    this.#files.retireUnused()
    const unserved = new Map(this.#listUnserved().map(each => [formatFailure(each), each]))
    const reasons = new Map([...unserved].map(([text, { reason }]) => [text, reason]))
    for (const [text] of this.#told.take(reasons)) logRefused(this.#log, unserved.get(text)!, false)
  }

  #announce({ removed, put }: Exchange, toText: (changes: string) => string, tellsReloaded: boolean): void {
    if (removed.length + put.length === 0 && !this.#isToBePut) return
    this.#isToBePut = true
    const wereServed = this.#served
    const { served, hidden, withheld, refused } = this.#options.put(
      this.#files.served.map(({ definition }) => definition),
    )
    this.#isToBePut = false
    this.#unfit = refused.flatMap(({ definition, error }) => {
      const file = findOrigin(definition)?.file
      return file === undefined ? [] : [{ file, reason: error.message }]
    })
    const toRoots = (rows: readonly { readonly definition: Definition }[]) =>
      new Set(rows.map(({ definition }) => findRoot(definition)))
    this.#served = toRoots(served)
    if (!this.tellsChanges) return
    const isHidden = toRoots(hidden)
    const needs = new Map(withheld.map(each => [findRoot(each.definition), each.needs]))
    const outcome: Outcome = {
      isServed: ({ definition }) => this.#served.has(definition),
      findNeeds: ({ definition }) => needs.get(definition) ?? [],
    }
    const changes: Exchange = {
      removed: removed.filter(({ definition }) => wereServed.has(definition)),
      put: put.filter(({ definition }) => this.#served.has(definition) || !isHidden.has(definition)),
    }
    const report = describeReload(changes, outcome)
    // A file may add the same definition again every second.
    if (!tellsReloaded && Object.keys(report.fields).every(kind => kind === 'reloaded')) return
    this.#log.info(report.fields, toText(report.text))
    this.#options.onChanged(report.fields)
  }

  /**
   * Serves the changes that a file makes at run time.
   *
   * @throws RangeError if there are too many definitions
   */
  #change(loaded: LoadedFile, removed: readonly Built[], put: readonly Built[]): void {
    const content = loaded.content!
    const gone = new Set(removed)
    const built = [...content.built.filter(each => !gone.has(each)), ...put]
    if (built.length > MAX_DEFINITIONS)
      throw new RangeError(`${fileName(loaded.file.path)} defines more than ${MAX_DEFINITIONS}`)
    loaded.content = { ...content, built }
    if (loaded.file.current !== loaded) return
    try {
      this.#swap(changes => `tools changed by their files: ${changes}`, { promotes: false })
    } catch (thrown) {
      loaded.content = content
      this.#files.swap(false)
      throw thrown
    }
  }

  #createServer(loaded: LoadedFile, module: ToolModule): ToolServer {
    const { file } = loaded
    const entries: FileEntries = {
      list: () => loaded.content!.built.filter(each => file.current !== loaded || file.serving.includes(each)),
      build: definition => {
        const built = this.#buildAdded(loaded, module, definition)
        const owner = this.#files.findOtherOwners(loaded)(built)
        if (owner !== undefined) throw createDuplicateError(built.entry, owner)
        this.#warnOfMistakes(loaded, built)
        return built
      },
      change: (removed, put) => this.#change(loaded, removed, put),
      findFileName: entry => this.#files.findFileName(entry),
    }
    const isCurrent = () => this.#files.isCurrent(loaded)
    return createFileServer({ ...this.#options, file: file.path, isCurrent, entries })
  }

  #warnOfMistakes({ file }: LoadedFile, { definition, entry }: Built): void {
    const { catalog } = this.#options
    if (entry.kind === 'tool' && catalog.isIncluded([entry]))
      catalog.hints.warnOfMistakes(this.#log, entry, definition, fileName(file.path))
  }

  #buildAdded({ file, version, content }: LoadedFile, module: ToolModule, definition: Definition): Built {
    return this.#definitions.buildAdded({ file: file.path, module, version }, content!.rules, definition)
  }

  #createSources(loaded: LoadedFile, module: ToolModule, sources: readonly DefinitionSource[]): FileSources {
    const { guard, catalog } = this.#options
    const file = fileName(loaded.file.path)
    const findOwners = () => {
      const findOther = this.#files.findOtherOwners(loaded)
      const all = loaded.content!.built.toReversed().map(built => [getQualifiedKey(built.entry), built] as const)
      const first = new Map(all)
      return (built: Built) =>
        findOther(built) ?? (first.get(getQualifiedKey(built.entry)) === built ? undefined : file)
    }
    return new FileSources(sources, {
      guard,
      catalog,
      log: this.#log.child?.({ file }) ?? this.#log,
      build: definition => this.#buildAdded(loaded, module, definition),
      change: (before, now) => this.#change(loaded, before, now),
      findOwners,
    })
  }

  /**
   * Definitions that are not served: another source or file has the same, or a transform has made
   * them invalid.
   */
  #listUnserved(): readonly FileFailure[] {
    const { guard, isFallback } = this.#options
    const duplicates = this.#files.duplicates.map(({ file, entry, owner }) => {
      const reason = guard.explain(createDuplicateError(entry, owner))
      return { file: fileName(file.path), reason, definition: entry.key }
    })
    return isFallback ? this.#unfit : [...duplicates, ...this.#unfit]
  }
}
