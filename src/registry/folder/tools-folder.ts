// Serves what the files of the tools folder export, and follows their changes.
// A file that does not load keeps serving what it served before.
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

/** Names per list in the log; the rest are counted. */
const MAX_SHOWN_NAMES = 20

export interface CatalogExchange {
  /** Entries that were served before. */
  readonly removed: readonly CatalogEntry[]
  readonly put: readonly CatalogEntry[]
}

/** @param catalog after the change @returns a bounded text for each kind of change that occurred */
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
  /** The load of the current file, while it is under way. */
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
  /** Entries of this folder, to tell them from those that the program registered. */
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
    // Node identifies modules by their real path.
    this.#root = existsSync(root) ? realpathSync(root) : resolve(root)
    this.#catalog = catalog
    this.#log = log
    this.#guard = guard
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#unreadableLog = new UnreadableEntryLog(log)
    resolveToolrack(this.#root)
  }

  /** Why the last attempt to read the folder failed; undefined if it succeeded. */
  get error(): FolderError | undefined {
    return this.#error
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
    this.#helpers = contents.helpers
    const generation = nextGeneration()
    if (contents.helpersHash !== this.#helpersHash) {
      this.#helpersHash = contents.helpersHash
      this.#helpersGeneration = generation
      forgetCommonJs(contents.helpers)
      // Also those that cannot be read now, once they can.
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

  /** Logs once what to do about a folder that is missing or has no tools. */
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

  /** Forgets removed files. @returns the entries that they had served */
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

  /** Logs that a file hangs, and serves it if it loads later. */
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

  /** Whether the load is of the current version of the file. */
  #isCurrent(load: FileLoad): boolean {
    return this.#served.get(load.file)?.load === load
  }

  /** Serves ended loads in place of `removed` and of what the same files served before. */
  async #serve(ended: readonly FileLoad[], removed: CatalogEntry[]): Promise<void> {
    const put: CatalogEntry[] = []
    const failed: [file: string, thrown: unknown][] = []
    for (const load of ended.filter(each => this.#isCurrent(each))) {
      const { hash, entries: before } = this.#served.get(load.file)!
      const read = this.#read(load, thrown => failed.push([load.file, thrown]))
      // A failed file is loaded again when any file changes: it may have lacked another one.
      this.#served.set(load.file, { hash: read?.isWhole ? hash : undefined, entries: read?.entries ?? before })
      if (read === undefined) continue
      removed.push(...before)
      put.push(...read.entries)
    }
    const gone = removed.filter(entry => this.#catalog.findHolder(entry) === entry)
    if (gone.length + put.length > 0) this.#replace(gone, put)
    // Finding the line may take a while, so it comes last.
    for (const [file, thrown] of failed) await this.#logFailed(file, thrown)
  }

  #replace(gone: readonly CatalogEntry[], put: readonly CatalogEntry[]): void {
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    if (this.#hasLoaded) this.#log.info(describeReload(exchanged, this.#catalog), 'tools folder reloaded')
  }

  /** The definitions of a file; undefined if it did not load. */
  #read(load: FileLoad, fail: (thrown: unknown) => void) {
    try {
      const end = load.result!
      if (!end.isLoaded) throw end.thrown
      const exported = end.exported.default
      const definitions = Array.isArray(exported) ? exported : findDefinitionKind(exported) && [exported]
      // Also covers an editor that empties a file before it writes.
      if (definitions === undefined) throw new Error('has no default export that is a tool or an array of tools')
      const entries: CatalogEntry[] = []
      for (const definition of definitions) this.#build(load, definition, entries)
      const isWhole = entries.length === definitions.length
      // If all tools of a file are excluded, its resources and prompts are not served either.
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
    this.#log.error({ file: fileName(file), ...fault }, 'tool file not loaded; its earlier tools stay')
  }

  /** Builds a definition and adds it to `entries`; logs it if it is invalid or a duplicate. */
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
