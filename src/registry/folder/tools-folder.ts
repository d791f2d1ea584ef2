// The tools folder: what its files export is served, and follows the files as they change.
// A file that does not load keeps what it served before. Knows nothing of how tools are called.
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import { findDefinitionKind } from '../definition.ts'
import { type FileLoad, FileLoader, type FileToLoad, HANG_WARNING_MS, type LoadGuard, UNGUARDED } from './load.ts'
import { describeLoadError, type LoadErrorReport, UnreadableEntryLog } from './load-error.ts'
import { createToolModule, fileName, forgetCommonJs, nextGeneration, resolveToolrack } from './modules.ts'
import { type FolderContents, MAX_FILES, readFolder, shortReason } from './scan.ts'
import type { FolderWatch } from './watch.ts'

// What a reading of the tools folder has changed, as the log tells it: names, in one line with a
// bound.

/** Names of each list that are shown; the rest are counted. */
const MAX_SHOWN_NAMES = 20

export interface CatalogExchange {
  /** Of these, those that were served. */
  readonly removed: readonly CatalogEntry[]
  readonly put: readonly CatalogEntry[]
}

/** @param catalog after the change. @returns one text for each kind of change that there was */
export function describeReload({ removed, put }: CatalogExchange, catalog: Catalog): Readonly<Record<string, string>> {
  const served = put.filter(entry => catalog.isServed(entry))
  const [changed, added] = partition(served, entry => removed.some(isSameEntry(entry)))
  const kinds = {
    added,
    removed: removed.filter(entry => !served.some(isSameEntry(entry))),
    changed,
    withheld: put.filter(entry => !served.includes(entry)),
  }
  const told = Object.entries(kinds).filter(([, entries]) => entries.length > 0)
  return Object.fromEntries(told.map(([kind, entries]) => [kind, shortenNames(entries.map(getEntryLabel))]))
}

export const isSameEntry = (entry: CatalogEntry) => (other: CatalogEntry) =>
  other.kind === entry.kind && other.key === entry.key

const getEntryLabel = ({ kind, key }: CatalogEntry) => (kind === 'tool' ? key : `${kind} ${key}`)

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter(value => !isFirst(value))]
}

function shortenNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(' ')
  return names.length > MAX_SHOWN_NAMES ? `${shown} and ${names.length - MAX_SHOWN_NAMES} more` : shown
}

/** Why nothing of a folder can be read. */
export interface FolderError {
  readonly reason: string
  readonly isMissing: boolean
  /** Whether it was read before: what was served then still is. */
  readonly wasRead: boolean
}

interface ServedFile {
  /** Of the file as it was read; undefined where it has to be read again, changed or not. */
  readonly hash: string | undefined
  readonly entries: readonly CatalogEntry[]
  /** Of the file as it is now, while that is under way. */
  readonly load?: FileLoad
}

export class ToolsFolder {
  readonly #root: string
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #guard: LoadGuard
  readonly #loader: FileLoader
  readonly #unreadableLog: UnreadableEntryLog
  readonly #served = new Map<string, ServedFile>()
  /** Whatever came from this folder, to tell it from what the program has registered itself. */
  readonly #ownEntries = new WeakSet<CatalogEntry>()
  #helpers: readonly string[] = []
  #helpersHash = ''
  #helpersGeneration = 0
  #error: FolderError | undefined
  #wasRead = false
  #isClosed = false
  #watch: FolderWatch | undefined
  #loading: Promise<void> = Promise.resolve()
  #hasLoaded = false
  #isEmpty = false

  constructor(root: string, catalog: Catalog, log: Log, loadLimitMs = HANG_WARNING_MS, guard = UNGUARDED) {
    // Modules are known by their real path.
    this.#root = existsSync(root) ? realpathSync(root) : resolve(root)
    this.#catalog = catalog
    this.#log = log
    this.#guard = guard
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#unreadableLog = new UnreadableEntryLog(log)
    resolveToolrack(this.#root)
  }

  /** Why the folder could not be read when that was last tried; undefined where it could. */
  get error(): FolderError | undefined {
    return this.#error
  }

  /**
   * Reads the folder and serves what changed since the last time; one reading at a time. What takes
   * long to load, or hangs, is not waited for: it is served when it comes.
   */
  load(): Promise<void> {
    return this.#enqueue(() => this.#load())
  }

  /** Follows the folder until `close`. */
  async watch(): Promise<void> {
    // Only who watches pays for the watcher.
    const { FolderWatch } = await import('./watch.ts')
    this.#watch = new FolderWatch(this.#root, this.#log, () => this.load())
    await this.#watch.ready()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#watch?.close()
    await this.#loading
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

  /** Loads what has changed, and serves it. */
  async #update(contents: FolderContents): Promise<void> {
    this.#helpers = contents.helpers
    const generation = nextGeneration()
    if (contents.helpersHash !== this.#helpersHash) {
      this.#helpersHash = contents.helpersHash
      this.#helpersGeneration = generation
      forgetCommonJs(contents.helpers)
      // Those that cannot be read now, too, when they can.
      for (const [file, { entries }] of this.#served) this.#served.set(file, { hash: undefined, entries })
    }
    const removed = this.#forgetMissing(contents)
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
      this.#unreadableLog.log(contents.skipped)
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

  /** Says once what to do about a folder that has no tool, or is not there. */
  #warnIfEmpty(reason: string | undefined): void {
    const isBare = reason !== undefined
    if (isBare && !this.#isEmpty) {
      const example = `export default { name: 'hello', handler: () => 'Hello!' }`
      const file = fileName(join(this.#root, 'hello.ts'))
      const hint = `create ${file} with: ${example}; or set TOOLS_DIR to where your tools are`
      this.#log.warn({ folder: this.#root, reason, hint }, 'no tools')
    }
    this.#isEmpty = isBare
  }

  /** Forgets files that have gone. @returns what they had served */
  #forgetMissing({ tools, skipped }: FolderContents): CatalogEntry[] {
    const unread = [...skipped].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    const missing = [...this.#served].filter(([file]) => !tools.has(file) && !isUnread(file))
    for (const [file] of missing) this.#served.delete(file)
    return missing.flatMap(([, { entries }]) => entries)
  }

  #findChanged({ tools }: FolderContents, generation: number): FileToLoad[] {
    const changed = [...tools].filter(([file, hash]) => this.#served.get(file)?.hash !== hash)
    return changed.map(([file, hash]) => ({
      file,
      module: createToolModule(this.#root, file, { own: generation, helpers: this.#helpersGeneration }),
      begin: load => this.#served.set(file, { hash, entries: this.#served.get(file)?.entries ?? [], load }),
    }))
  }

  /** Tells that a file hangs, and serves it when it comes to its end after all. */
  #serveLate(load: FileLoad): void {
    const file = fileName(load.file)
    let isTold = false
    void this.#loader.explainHang(load).then(reason => {
      if (reason === undefined || this.#isClosed || !this.#isCurrent(load)) return
      isTold = true
      this.#logNotLoaded(load.file, { reason })
    })
    void load.ended.then(() =>
      this.#enqueue(async () => {
        if (isTold && load.result?.isLoaded && this.#isCurrent(load))
          this.#log.info({ file }, 'tool file loaded after all')
        await this.#serve([load], [])
      }),
    )
  }

  /** Whether it is of the file as it is now. */
  #isCurrent(load: FileLoad): boolean {
    return this.#served.get(load.file)?.load === load
  }

  /**
   * Serves what has come to its end, in place of what was `removed` and of what the same files
   * served before.
   */
  async #serve(ended: readonly FileLoad[], removed: CatalogEntry[]): Promise<void> {
    const put: CatalogEntry[] = []
    const failed: [file: string, thrown: unknown][] = []
    for (const load of ended.filter(each => this.#isCurrent(each))) {
      const { hash, entries: before } = this.#served.get(load.file)!
      const read = this.#read(load, thrown => failed.push([load.file, thrown]))
      // What failed is tried again with the next change of any file: it may have lacked something
      // else.
      this.#served.set(load.file, { hash: read?.isWhole ? hash : undefined, entries: read?.entries ?? before })
      if (read === undefined) continue
      removed.push(...before)
      put.push(...read.entries)
    }
    const gone = removed.filter(entry => this.#catalog.findHolder(entry) === entry)
    if (gone.length + put.length > 0) this.#replace(gone, put)
    // To find the line may take a while.
    for (const [file, thrown] of failed) await this.#logFailed(file, thrown)
  }

  #replace(gone: readonly CatalogEntry[], put: readonly CatalogEntry[]): void {
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    if (this.#hasLoaded) this.#log.info(describeReload(exchanged, this.#catalog), 'tools folder reloaded')
  }

  /** What a file defines; undefined where it did not load. */
  #read(load: FileLoad, fail: (thrown: unknown) => void) {
    try {
      const end = load.result!
      if (!end.isLoaded) throw end.thrown
      const exported = end.exported.default
      const definitions = Array.isArray(exported) ? exported : findDefinitionKind(exported) && [exported]
      // Also what an editor leaves behind that empties a file before it writes.
      if (definitions === undefined) throw new Error('has no default export that is a tool or an array of tools')
      const entries: CatalogEntry[] = []
      for (const definition of definitions) this.#build(load, definition, entries)
      const isWhole = entries.length === definitions.length
      // What stands beside tools that nobody wants, such as the resources that one of them links
      // to, goes with them.
      const wanted = this.#catalog.isIncluded(entries) ? entries : entries.filter(({ kind }) => kind === 'tool')
      return { entries: wanted, isWhole }
    } catch (thrown) {
      fail(thrown)
      return undefined
    }
  }

  async #logFailed(file: string, thrown: unknown): Promise<void> {
    const fault = await describeLoadError(thrown, file, {
      root: this.#root,
      helpers: this.#helpers,
      explain: this.#guard.explain,
    })
    this.#logNotLoaded(file, fault)
  }

  #logNotLoaded(file: string, fault: LoadErrorReport): void {
    this.#log.error({ file: fileName(file), ...fault }, 'tool file not loaded, what it served before stays')
  }

  /** Adds what a definition makes to the `entries` of its file, unless it must be refused. */
  #build({ file, module }: FileLoad, definition: unknown, entries: CatalogEntry[]): void {
    try {
      const entry = this.#catalog.build(definition, module)
      const owner = entries.some(isSameEntry(entry)) ? 'the same file' : this.#findOtherOwner(entry, file)
      if (owner !== undefined) throw new Error(`${entry.kind} ${entry.key} is already defined in ${owner}`)
      this.#ownEntries.add(entry)
      entries.push(entry)
    } catch (thrown) {
      this.#log.error({ file: fileName(file), reason: this.#guard.explain(thrown) }, 'tool not served')
    }
  }

  #findOtherOwner(entry: CatalogEntry, file: string): string | undefined {
    for (const [other, { entries }] of this.#served) {
      if (other !== file && entries.some(isSameEntry(entry))) return fileName(other)
    }
    const present = this.#catalog.findHolder(entry)
    const isFree = present === undefined || this.#ownEntries.has(present) || this.#catalog.isFallback(present)
    return isFree ? undefined : 'the program'
  }
}
