// Loads versions of tool files, and serves the next set of all of them: slow ones are taken over once
// they have loaded.
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry, Definition } from '../catalog.ts'
import { type Built, buildSet } from '../definition-set.ts'
import { findRoot } from '../derive.ts'
import type { DefinitionSource, PutReport, SourceTarget } from '../source.ts'
import type { ToolServer } from '../tool-server.ts'
import { warnOfMistakes } from '../tool-warnings.ts'
import { createDuplicateError, DefinitionReader, findSources, RulesAlone } from './definitions.ts'
import type { EntrySources } from './entry-sources.ts'
import {
  describeFailure,
  type FailurePlace,
  type FileFailure,
  formatFailure,
  logNotLoaded,
  logRefused,
} from './failures.ts'
import { createFileServer, type FileEntries, type FileLog } from './file-server.ts'
import { FileSources } from './file-sources.ts'
import { FileVersion } from './file-version.ts'
import { explainHang, loadInTurn } from './load.ts'
import type { LoadGuard } from './load-guard.ts'
import { createToolModule, importModule, type ToolModule } from './modules.ts'
import type { Openings } from './openings.ts'
import { type CatalogExchange, describeReload, type Outcome } from './reload-log.ts'
import type { LoadedFile, ToolFile, ToolFiles } from './tool-files.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface FileLoaderOptions {
  readonly catalog: Catalog
  readonly log: Log
  readonly guard: LoadGuard
  readonly files: ToolFiles
  readonly openings: Openings
  readonly sources: EntrySources
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  /** How long a file may take to load, ms. */
  readonly loadLimitMs: number
  /** Logs on behalf of a file, outside of a call. */
  readonly fileLog: FileLog
  /** Whether tools may be served: the rules for all of them have loaded. */
  mayServe(): boolean
  /** Where the error of a file of this folder may be instead. */
  getPlace(root: ToolRoot): FailurePlace
  /** Runs work when no load is under way. */
  enqueue(work: () => Promise<void>): Promise<void>
  readonly put: SourceTarget['put']
  /** What is served has changed since the first load. @param fields the names, by kind of change */
  onChanged(fields: Readonly<Record<string, string>>): void
}

export interface Generations {
  /** Of the files that are loaded. */
  readonly own: number
  /** Of what they import from the folders. */
  readonly helpers: number
}

interface FileToLoad {
  readonly loaded: LoadedFile
  work(): Promise<void>
}

export class FileLoader {
  readonly #options: FileLoaderOptions
  readonly #files: ToolFiles
  readonly #log: Log
  readonly #definitions: DefinitionReader
  /** Whether the first load is over: its changes are told by the start-up. */
  #hasServed = false
  /** Definitions that were served after the last swap: a transform may have made others of them. */
  #served: ReadonlySet<Definition> = new Set()
  /** Loads that the others have not waited for, until the log has said so. */
  readonly #slow = new Set<Promise<void>>()

  constructor(options: FileLoaderOptions) {
    this.#options = options
    this.#files = options.files
    this.#log = options.log
    this.#definitions = new DefinitionReader(options)
  }

  /** Resolves once every file has ended loading, or has taken longer than it may. */
  async settled(): Promise<void> {
    await Promise.all(this.#slow)
  }

  /** Files and definitions that are not served as they are written. */
  get failures(): readonly FileFailure[] {
    const own = this.#files.all.flatMap(({ failure, current }) => [
      ...(failure === undefined ? [] : [failure]),
      ...(current?.content?.refused ?? []),
    ])
    return [...own, ...this.#listDuplicates()]
  }

  /** @returns files that have turned out to have rules for all, with these */
  async load(files: readonly ToolFile[], generations: Generations): Promise<ReadonlyMap<ToolFile, readonly string[]>> {
    const loads = files.map(file => this.#begin(file, generations))
    await this.#loadInTurn(loads)
    const rules = loads.map(({ loaded: { file, version } }) => [file, version.thrown] as const)
    return new Map(rules.flatMap(([file, thrown]) => (thrown instanceof RulesAlone ? [[file, thrown.rules]] : [])))
  }

  /** Takes over what has loaded: sets up what comes to be served, and serves the next set. */
  async serve(): Promise<void> {
    if (!this.#options.mayServe()) {
      this.#hasServed = true
      return
    }
    const failed = [...this.#files.takeFailed()]
    for (let unready = this.#files.findUnready(); unready.length > 0; unready = this.#files.findUnready()) {
      await this.#loadInTurn(unready.map(loaded => ({ loaded, work: () => loaded.version.setUp() })))
      failed.push(...this.#files.takeFailed())
    }
    this.#swap(changes => `tools folder reloaded: ${changes}`)
    this.#hasServed = true
    // Finding the line may take a while, so it comes last.
    for (const [file, thrown] of failed) {
      file.failure = await describeFailure(file.path, thrown, this.#options.getPlace(file.root), this.#options.guard)
      logNotLoaded(this.#log, file.failure, file.serving.length > 0)
    }
  }

  #begin(file: ToolFile, generations: Generations): FileToLoad {
    const { roots, openings } = this.#options
    const module = createToolModule(file.root.path, file.path, { ...generations, roots })
    const version = new FileVersion(file.path, openings, () => this.#createServer(loaded, module))
    const loaded: LoadedFile = this.#files.begin(file, version)
    return { loaded, work: () => this.#open(loaded, module) }
  }

  async #open(loaded: LoadedFile, module: ToolModule): Promise<void> {
    const { file, version } = loaded
    const exported = await importModule(module)
    version.adopt(exported)
    // Replaced while it was imported.
    if (!this.#files.isCurrent(loaded)) return
    const sources = findSources(exported)
    if (sources.length > 0) version.adoptSources(this.#createSources(loaded, module, sources))
    loaded.content = this.#definitions.read({ file: file.path, module, version }, exported, file.serving)
    for (const entry of loaded.content.entries)
      if (this.#files.findOtherOwner(loaded, entry) === undefined) this.#warnOfMistakes(loaded, entry)
    if (this.#files.isToBeSetUp(loaded)) await version.setUp()
  }

  /** Runs the work of each. Those that have not ended in time are taken over once they have. */
  async #loadInTurn(files: readonly FileToLoad[]): Promise<void> {
    const { guard, loadLimitMs } = this.#options
    const starts = files.map(({ loaded: { file, version }, work }) => {
      return () => version.load(() => guard.load(fileName(file.path), work))
    })
    await loadInTurn(starts, loadLimitMs)
    for (const { loaded } of files) if (loaded.version.isUnderWay) this.#followLate(loaded)
  }

  /** Logs that a file hangs, and serves it if it loads later. */
  #followLate(loaded: LoadedFile): void {
    const { loadLimitMs, openings, enqueue } = this.#options
    const { file, version } = loaded
    const told = explainHang(version, loadLimitMs).then(reason => {
      this.#slow.delete(told)
      if (reason === undefined || openings.isShutDown || !this.#files.isCurrent(loaded)) return
      file.hang = { file: fileName(file.path), reason }
      logNotLoaded(this.#log, file.hang, file.serving.length > 0)
    })
    this.#slow.add(told)
    const takeOver = () => {
      if (this.#files.isCurrent(loaded)) {
        if (file.hang !== undefined && version.phase !== 'failed')
          this.#log.info({ file: file.hang.file }, 'tool file loaded after all')
        file.hang = undefined
      }
      return this.serve()
    }
    void version.ended.then(() => enqueue(takeOver))
  }

  /** @param promotes whether versions that have loaded since are served */
  #swap(toText: (changes: string) => string, { promotes = true } = {}): void {
    const known = new Set(this.#listDuplicates().map(formatFailure))
    this.#announce(this.#files.swap(promotes), toText, promotes)
    // Only now: what the new versions share with them stays open.
    this.#files.retireUnused()
    for (const each of this.#listDuplicates()) if (!known.has(formatFailure(each))) logRefused(this.#log, each, false)
  }

  #announce({ removed, put }: CatalogExchange, toText: (changes: string) => string, tellsReloaded: boolean): void {
    const { sources, onChanged } = this.#options
    if (removed.length + put.length === 0) return
    const wereServed = this.#served
    const { served, withheld } = this.#options.put(this.#files.served.map(entry => sources.getDefinition(entry)))
    this.#served = new Set(served.map(({ definition }) => findRoot(definition)))
    if (!this.#hasServed) return
    const needs = new Map(withheld.map(each => [findRoot(each.definition), each.needs]))
    const outcome: Outcome = {
      isServed: entry => this.#served.has(sources.getDefinition(entry)),
      findNeeds: entry => needs.get(sources.getDefinition(entry)) ?? [],
    }
    const gone = removed.filter(entry => wereServed.has(sources.getDefinition(entry)))
    const report = describeReload({ removed: gone, put }, outcome, sources)
    // What is added again as it is may come every second.
    if (!tellsReloaded && Object.keys(report.fields).every(kind => kind === 'reloaded')) return
    this.#log.info(report.fields, toText(report.text))
    onChanged(report.fields)
  }

  /** Serves what a file has changed at run time; another may have to be set up for what it gives up. */
  #change(loaded: LoadedFile, removed: readonly CatalogEntry[], put: readonly CatalogEntry[]): void {
    const { file, content } = loaded
    loaded.content = { ...content!, entries: [...content!.entries.filter(each => !removed.includes(each)), ...put] }
    if (file.current !== loaded) return
    this.#swap(changes => `tools changed by their files: ${changes}`, { promotes: false })
    void this.#options.enqueue(() => this.serve())
  }

  #createServer(loaded: LoadedFile, module: ToolModule): ToolServer {
    const { file } = loaded
    const entries: FileEntries = {
      list: () => loaded.content!.entries.filter(each => file.current !== loaded || file.serving.includes(each)),
      build: definition => {
        const entry = this.#buildAdded(loaded, module, definition)
        const owner = this.#files.findOtherOwner(loaded, entry)
        if (owner !== undefined) throw createDuplicateError(entry, owner)
        this.#warnOfMistakes(loaded, entry)
        return entry
      },
      change: (removed, put) => this.#change(loaded, removed, put),
    }
    return createFileServer({
      ...this.#options,
      file: file.path,
      isCurrent: () => this.#files.isCurrent(loaded),
      entries,
    })
  }

  #warnOfMistakes({ file }: LoadedFile, entry: CatalogEntry): void {
    const { catalog, sources } = this.#options
    if (entry.kind === 'tool' && catalog.isIncluded([entry]))
      warnOfMistakes(this.#log, entry, sources.getDefinition(entry), fileName(file.path))
  }

  #buildAdded(loaded: LoadedFile, module: ToolModule, definition: Definition): CatalogEntry {
    const { file, version, content } = loaded
    return this.#definitions.buildAdded({ file: file.path, module, version }, content!.rules, definition)
  }

  #createSources(loaded: LoadedFile, module: ToolModule, sources: readonly DefinitionSource[]): FileSources {
    const { log, guard } = this.#options
    /** The same definition stays the same entry. */
    const known = new WeakMap<object, CatalogEntry>()
    const sets = new Map<DefinitionSource, readonly CatalogEntry[]>()
    const build = (definition: Definition) => {
      const entry = known.get(Object(definition)) ?? this.#buildAdded(loaded, module, definition)
      known.set(definition, entry)
      return entry
    }
    const put = (source: DefinitionSource, definitions: readonly Definition[]) => {
      const { built, refused } = buildSet(definitions, build)
      const entries = [...built.values()].map(({ entry }) => entry)
      this.#change(loaded, sets.get(source) ?? [], entries)
      sets.set(source, entries)
      return this.#report(loaded, [...built.values()], refused)
    }
    return new FileSources(sources, { file: fileName(loaded.file.path), log, guard, put })
  }

  #report(loaded: LoadedFile, built: readonly Built[], refused: PutReport['refused']): PutReport {
    const { catalog } = this.#options
    const rows = built.map(({ definition, entry }) => {
      const by = this.#files.findOtherOwner(loaded, entry)
      return { entry, by, row: { kind: entry.kind, key: entry.key, definition } }
    })
    const own = rows.filter(({ by }) => by === undefined)
    return {
      served: own.filter(({ entry }) => catalog.isWanted(entry)).map(({ row }) => row),
      hidden: rows.flatMap(({ by, row }) => (by === undefined ? [] : [{ ...row, by }])),
      withheld: own
        .filter(({ entry }) => !catalog.isWanted(entry))
        .map(({ entry, row }) => ({ ...row, needs: catalog.findNeeds(entry) })),
      refused,
    }
  }

  #listDuplicates(): readonly FileFailure[] {
    return this.#files.duplicates.map(({ file, entry, owner }) => {
      const error = createDuplicateError(entry, typeof owner === 'string' ? owner : fileName(owner.path))
      return { file: fileName(file.path), reason: this.#options.guard.explain(error), definition: entry.key }
    })
  }
}
