// The tools folder: what its files export is served, and follows the files as they change.
// A file that does not load keeps what it served before. Knows nothing of how tools are called.
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Log } from '../exchange.ts'
import type { Built, Catalog } from './catalog.ts'
import { kindOf } from './definition.ts'
import { EntryFaultLog } from './entry-fault-log.ts'
import type { FileLoad } from './file-load.ts'
import { fileName } from './file-name.ts'
import { type LoadFault, loadFaultOf } from './load-fault.ts'
import { FileLoader, type FileToLoad, LOAD_LIMIT_MS, type LoadGuard, UNGUARDED } from './load-files.ts'
import { forgetCommonJs, moduleOf, nextGeneration, resolveToolrack } from './module-hook.ts'
import { shortReason } from './read-entry.ts'
import { type FolderContents, MAX_FILES, readFolder } from './read-folder.ts'
import { isSame, reloadOf } from './reload.ts'
import type { FolderWatch } from './watch-folder.ts'

/** Why nothing of a folder can be read. */
export interface FolderFault {
  readonly reason: string
  readonly isMissing: boolean
  /** Whether it was read before: what was served then still is. */
  readonly wasRead: boolean
}

interface Served {
  /** Of the file as it was read; undefined where it has to be read again, changed or not. */
  readonly hash: string | undefined
  readonly entries: readonly Built[]
  /** Of the file as it is now, while that is under way. */
  readonly load?: FileLoad
}

export class ToolsFolder {
  readonly #root: string
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #guard: LoadGuard
  readonly #loader: FileLoader
  readonly #entryFaults: EntryFaultLog
  readonly #served = new Map<string, Served>()
  /** Whatever came from this folder, to tell it from what the program has registered itself. */
  readonly #own = new WeakSet<Built>()
  #helpers: readonly string[] = []
  #helpersHash = ''
  #helpersGeneration = 0
  #fault: FolderFault | undefined
  #wasRead = false
  #isClosed = false
  #watch: FolderWatch | undefined
  #loading: Promise<void> = Promise.resolve()
  #hasLoaded = false
  #isBare = false

  constructor(root: string, catalog: Catalog, log: Log, loadLimitMs = LOAD_LIMIT_MS, guard = UNGUARDED) {
    // Modules are known by their real path.
    this.#root = existsSync(root) ? realpathSync(root) : resolve(root)
    this.#catalog = catalog
    this.#log = log
    this.#guard = guard
    this.#loader = new FileLoader(guard, loadLimitMs)
    this.#entryFaults = new EntryFaultLog(log)
    resolveToolrack(this.#root)
  }

  /** Why the folder could not be read when that was last tried; undefined where it could. */
  get fault(): FolderFault | undefined {
    return this.#fault
  }

  /**
   * Reads the folder and serves what changed since the last time; one reading at a time. What takes long to load, or
   * hangs, is not waited for: it is served when it comes.
   */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load())
  }

  /** Follows the folder until `close`. */
  async watch(): Promise<void> {
    // Only who watches pays for the watcher.
    const { FolderWatch } = await import('./watch-folder.ts')
    this.#watch = new FolderWatch(this.#root, this.#log, () => this.load())
    await this.#watch.ready()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#watch?.close()
    await this.#loading
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#loading = this.#loading
      .then(() => (this.#isClosed ? undefined : work()))
      .catch(error => this.#log.error({ err: error, folder: this.#root }, 'tools folder could not be loaded'))
    return this.#loading
  }

  async #load(): Promise<void> {
    const contents = this.#readFolder()
    if (contents !== undefined) await this.#follow(contents)
    this.#hasLoaded = true
  }

  /** Loads what has changed, and serves it. */
  async #follow(contents: FolderContents): Promise<void> {
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
    const loads = await this.#loader.load(this.#changedIn(contents, generation))
    for (const load of loads.filter(({ end }) => end === undefined)) this.#serveLate(load)
    await this.#serve(
      loads.filter(({ end }) => end !== undefined),
      removed,
    )
  }

  #readFolder(): FolderContents | undefined {
    try {
      const contents = readFolder(this.#root)
      this.#fault = undefined
      this.#wasRead = true
      if (contents.isCut) this.#log.warn({ folder: this.#root }, `only the first ${MAX_FILES} files are read`)
      this.#entryFaults.tell(contents.faults)
      this.#tellBare(contents.tools.size === 0 ? 'the folder has no file of a tool' : undefined)
      return contents
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#fault = { reason: shortReason(error), isMissing, wasRead: this.#wasRead }
      if (isMissing && !this.#wasRead) this.#tellBare('there is no such folder')
      else this.#log.error({ folder: this.#root, reason: this.#fault.reason }, 'tools folder could not be read')
      return undefined
    }
  }

  /** Says once what to do about a folder that has no tool, or is not there. */
  #tellBare(reason: string | undefined): void {
    const isBare = reason !== undefined
    if (isBare && !this.#isBare) {
      const example = `export default { name: 'hello', handler: () => 'Hello!' }`
      const file = fileName(join(this.#root, 'hello.ts'))
      const hint = `create ${file} with: ${example}; or set TOOLS_DIR to where your tools are`
      this.#log.warn({ folder: this.#root, reason, hint }, 'no tools')
    }
    this.#isBare = isBare
  }

  /** Forgets files that have gone. @returns what they had served */
  #forgetMissing({ tools, faults }: FolderContents): Built[] {
    const unread = [...faults].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    const missing = [...this.#served].filter(([file]) => !tools.has(file) && !isUnread(file))
    for (const [file] of missing) this.#served.delete(file)
    return missing.flatMap(([, { entries }]) => entries)
  }

  #changedIn({ tools }: FolderContents, generation: number): FileToLoad[] {
    const changed = [...tools].filter(([file, hash]) => this.#served.get(file)?.hash !== hash)
    return changed.map(([file, hash]) => ({
      file,
      module: moduleOf(this.#root, file, { own: generation, helpers: this.#helpersGeneration }),
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
      this.#tellNotLoaded(load.file, { reason })
    })
    void load.ended.then(() =>
      this.#inTurn(async () => {
        if (isTold && load.end?.isLoaded && this.#isCurrent(load))
          this.#log.info({ file }, 'tool file loaded after all')
        await this.#serve([load], [])
      }),
    )
  }

  /** Whether it is of the file as it is now. */
  #isCurrent(load: FileLoad): boolean {
    return this.#served.get(load.file)?.load === load
  }

  /** Serves what has come to its end, in place of what was `removed` and of what the same files served before. */
  async #serve(ended: readonly FileLoad[], removed: Built[]): Promise<void> {
    const put: Built[] = []
    const failed: [file: string, thrown: unknown][] = []
    for (const load of ended.filter(each => this.#isCurrent(each))) {
      const { hash, entries: before } = this.#served.get(load.file)!
      const read = this.#read(load, thrown => failed.push([load.file, thrown]))
      // What failed is tried again with the next change of any file: it may have lacked something else.
      this.#served.set(load.file, { hash: read?.isWhole ? hash : undefined, entries: read?.entries ?? before })
      if (read === undefined) continue
      removed.push(...before)
      put.push(...read.entries)
    }
    const gone = removed.filter(entry => this.#catalog.holder(entry) === entry)
    if (gone.length + put.length > 0) this.#exchange(gone, put)
    // To find the line may take a while.
    for (const [file, thrown] of failed) await this.#tellFailed(file, thrown)
  }

  #exchange(gone: readonly Built[], put: readonly Built[]): void {
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    if (this.#hasLoaded) this.#log.info(reloadOf(exchanged, this.#catalog), 'tools folder reloaded')
  }

  /** What a file defines; undefined where it did not load. */
  #read(load: FileLoad, fail: (thrown: unknown) => void) {
    try {
      const end = load.end!
      if (!end.isLoaded) throw end.thrown
      const exported = end.exported.default
      const definitions = Array.isArray(exported) ? exported : kindOf(exported) && [exported]
      // Also what an editor leaves behind that empties a file before it writes.
      if (definitions === undefined) throw new Error('has no default export that is a tool or an array of tools')
      const entries: Built[] = []
      for (const definition of definitions) this.#build(load, definition, entries)
      const isWhole = entries.length === definitions.length
      // What stands beside tools that nobody wants, such as the resources that one of them links to, goes with them.
      const wanted = this.#catalog.isWanted(entries) ? entries : entries.filter(({ kind }) => kind === 'tool')
      return { entries: wanted, isWhole }
    } catch (thrown) {
      fail(thrown)
      return undefined
    }
  }

  async #tellFailed(file: string, thrown: unknown): Promise<void> {
    const fault = await loadFaultOf(thrown, file, {
      root: this.#root,
      helpers: this.#helpers,
      explain: this.#guard.explain,
    })
    this.#tellNotLoaded(file, fault)
  }

  #tellNotLoaded(file: string, fault: LoadFault): void {
    this.#log.error({ file: fileName(file), ...fault }, 'tool file not loaded, what it served before stays')
  }

  /** Adds what a definition makes to the `entries` of its file, unless it must be refused. */
  #build({ file, module }: FileLoad, definition: unknown, entries: Built[]): void {
    try {
      const entry = this.#catalog.build(definition, module)
      const owner = entries.some(isSame(entry)) ? 'the same file' : this.#otherOwner(entry, file)
      if (owner !== undefined) throw new Error(`${entry.kind} ${entry.key} is already defined in ${owner}`)
      this.#own.add(entry)
      entries.push(entry)
    } catch (thrown) {
      this.#log.error({ file: fileName(file), reason: this.#guard.explain(thrown) }, 'tool not served')
    }
  }

  #otherOwner(entry: Built, file: string): string | undefined {
    for (const [other, { entries }] of this.#served) {
      if (other !== file && entries.some(isSame(entry))) return fileName(other)
    }
    const present = this.#catalog.holder(entry)
    const isFree = present === undefined || this.#own.has(present) || this.#catalog.givesWay(present)
    return isFree ? undefined : 'the program'
  }
}
