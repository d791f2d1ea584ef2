// The tools folder: what its files export is served, and follows the files as they change.
// A file that does not load keeps what it served before. Knows nothing of how tools are called.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Log } from '../exchange.ts'
import type { Built, Catalog } from './catalog.ts'
import { kindOf } from './definition.ts'
import { loadFaultOf, pathOf } from './load-fault.ts'
import {
  forgetCommonJs,
  importModule,
  moduleOf,
  nextGeneration,
  resolveToolrack,
  type ToolModule,
} from './module-hook.ts'
import { type FolderContents, MAX_FILES, readFolder } from './read-folder.ts'
import { isSame, reloadOf } from './reload.ts'

const SETTLE_MS = 50
/** How long the top level of a file may take. */
const LOAD_LIMIT_MS = 10_000

interface Served {
  /** Of the file as it was read; undefined where it has to be read again, changed or not. */
  readonly hash: string | undefined
  readonly entries: readonly Built[]
}

export class ToolsFolder {
  readonly #root: string
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #loadLimitMs: number
  readonly #served = new Map<string, Served>()
  /** Whatever came from this folder, to tell it from what the program has registered itself. */
  readonly #own = new WeakSet<Built>()
  #helpersHash = ''
  #helpersGeneration = 0
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #loading: Promise<void> = Promise.resolve()
  #hasLoaded = false
  #isBare = false

  constructor(root: string, catalog: Catalog, log: Log, loadLimitMs = LOAD_LIMIT_MS) {
    // Modules are known by their real path.
    this.#root = existsSync(root) ? realpathSync(root) : resolve(root)
    this.#catalog = catalog
    this.#log = log
    this.#loadLimitMs = loadLimitMs
    resolveToolrack(this.#root)
  }

  /** Reads the folder and serves what changed since the last time; one reading at a time. */
  load(): Promise<void> {
    this.#loading = this.#loading
      .then(() => this.#load())
      .catch(error => this.#log.error({ err: error, folder: this.#root }, 'tools folder could not be read'))
    return this.#loading
  }

  /** Follows the folder until `close`. */
  async watch(): Promise<void> {
    // Only who watches pays for the watcher.
    const { watch } = await import('chokidar')
    // What is not there cannot be followed; the folder that it will be in can.
    const base = existsSync(this.#root) ? this.#root : dirname(this.#root)
    this.#watcher = watch(base, { ignoreInitial: true, ignored: path => isIgnored(relative(this.#root, path)) })
    this.#watcher.on('all', () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.load(), SETTLE_MS)
    })
    this.#watcher.on('error', error => this.#log.warn({ err: error }, 'tools folder is not watched any more'))
    await new Promise<void>(ready => this.#watcher!.once('ready', () => ready()))
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#watcher?.close()
    await this.#loading
  }

  async #load(): Promise<void> {
    const isThere = existsSync(this.#root)
    if (!isThere && this.#served.size > 0) throw new Error(`no such folder: ${this.#root}`)
    const contents = isThere ? readFolder(this.#root) : undefined
    this.#tellBare(contents)
    if (contents !== undefined) await this.#serve(contents)
    this.#hasLoaded = true
  }

  async #serve(contents: FolderContents): Promise<void> {
    if (contents.isCut) this.#log.warn({ folder: this.#root }, `only the first ${MAX_FILES} files are read`)
    const generation = nextGeneration()
    const helpersChanged = contents.helpersHash !== this.#helpersHash
    if (helpersChanged) {
      this.#helpersHash = contents.helpersHash
      this.#helpersGeneration = generation
      forgetCommonJs(contents.helpers)
    }
    const removed = this.#forgetMissing(contents)
    const put: Built[] = []
    for (const [file, hash] of contents.tools) {
      const before = this.#served.get(file)
      if (before?.hash === hash && !helpersChanged) continue
      const read = await this.#read(file, generation, contents)
      // What failed is tried again with the next change of any file: it may have lacked something else.
      this.#served.set(file, {
        hash: read?.isWhole ? hash : undefined,
        entries: read?.entries ?? before?.entries ?? [],
      })
      if (read === undefined) continue
      removed.push(...(before?.entries ?? []))
      put.push(...read.entries)
    }
    const gone = removed.filter(entry => this.#catalog.holder(entry) === entry)
    if (gone.length + put.length === 0) return
    const exchanged = { removed: gone.filter(entry => this.#catalog.isServed(entry)), put }
    this.#catalog.change(gone, put)
    if (this.#hasLoaded) this.#log.info(reloadOf(exchanged, this.#catalog), 'tools folder reloaded')
  }

  /** Says once what to do about a folder that has no tool, or is not there. */
  #tellBare(contents: FolderContents | undefined): void {
    const isBare = contents === undefined || contents.tools.size === 0
    if (isBare && !this.#isBare) {
      const example = `export default { name: 'hello', handler: () => 'Hello!' }`
      const hint = `create ${pathOf(join(this.#root, 'hello.ts'))} with: ${example}; or set TOOLS_DIR to where your tools are`
      const what = contents === undefined ? 'there is no such folder' : 'the folder has no file of a tool'
      this.#log.warn({ folder: this.#root, reason: what, hint }, 'no tools')
    }
    this.#isBare = isBare
  }

  #forgetMissing({ tools }: FolderContents): Built[] {
    const missing = [...this.#served].filter(([file]) => !tools.has(file))
    for (const [file] of missing) this.#served.delete(file)
    return missing.flatMap(([, { entries }]) => entries)
  }

  /** What a file defines; undefined, and a line in the log, where it does not load. */
  async #read(file: string, generation: number, { helpers }: FolderContents) {
    try {
      const module = moduleOf(this.#root, file, { own: generation, helpers: this.#helpersGeneration })
      const exported = await this.#import(module)
      const definitions = Array.isArray(exported) ? exported : kindOf(exported) && [exported]
      // Also what an editor leaves behind that empties a file before it writes.
      if (definitions === undefined) throw new Error('has no default export that is a tool or an array of tools')
      const entries: Built[] = []
      for (const definition of definitions) this.#build({ file, module }, definition, entries)
      const isWhole = entries.length === definitions.length
      // What stands beside tools that nobody wants, such as the resources that one of them links to, goes with them.
      const wanted = this.#catalog.isWanted(entries) ? entries : entries.filter(({ kind }) => kind === 'tool')
      return { entries: wanted, isWhole }
    } catch (error) {
      const fault = await loadFaultOf(error, file, { root: this.#root, helpers })
      this.#log.error({ file: pathOf(file), ...fault }, 'tool file not loaded, what it served before stays')
      return undefined
    }
  }

  async #import(module: ToolModule): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const error = new Error(`has not loaded within ${this.#loadLimitMs} ms; does its top level wait for something?`)
      timer = setTimeout(() => reject(error), this.#loadLimitMs)
    })
    try {
      return (await Promise.race([importModule(module), late])).default
    } finally {
      clearTimeout(timer)
    }
  }

  /** Adds what a definition makes to the `entries` of its file, unless it must be refused. */
  #build({ file, module }: { file: string; module: ToolModule }, definition: unknown, entries: Built[]): void {
    try {
      const entry = this.#catalog.build(definition, module)
      const owner = entries.some(isSame(entry)) ? 'the same file' : this.#otherOwner(entry, file)
      if (owner !== undefined) throw new Error(`${entry.kind} ${entry.key} is already defined in ${owner}`)
      this.#own.add(entry)
      entries.push(entry)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.error({ file: pathOf(file), reason }, 'tool not served')
    }
  }

  #otherOwner(entry: Built, file: string): string | undefined {
    for (const [other, { entries }] of this.#served) {
      if (other !== file && entries.some(isSame(entry))) return pathOf(other)
    }
    const present = this.#catalog.holder(entry)
    const isFree = present === undefined || this.#own.has(present) || this.#catalog.givesWay(present)
    return isFree ? undefined : 'the program'
  }
}

// Neighbours of the folder are none of it. `..data` is how Kubernetes swaps a mounted folder; other hidden names are of editors and version control.
function isIgnored(path: string): boolean {
  const name = basename(path)
  return path.startsWith(`..${sep}`) || name === 'node_modules' || (name.startsWith('.') && !name.startsWith('..'))
}
