// The tools folder: what its files export is served, and follows the files as they change.
// A file that does not load keeps what it served before. Knows nothing of how tools are called.
import { createHash } from 'node:crypto'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FSWatcher } from 'chokidar'
import type { Log } from '../exchange.ts'
import type { Built, Catalog } from './catalog.ts'
import { isToolFile, resolveToolrack } from './module-hook.ts'

const SETTLE_MS = 50
const MAX_FILES = 2000

interface Served {
  readonly hash: string
  readonly entries: readonly Built[]
}

export class ToolsFolder {
  readonly #root: string
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #served = new Map<string, Served>()
  #helpers = ''
  #generation = 0
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #loading: Promise<void> = Promise.resolve()

  constructor(root: string, catalog: Catalog, log: Log) {
    this.#root = resolve(root)
    this.#catalog = catalog
    this.#log = log
    resolveToolrack(this.#root)
  }

  /** Reads the folder and serves what changed since the last time; one reading at a time. */
  load(): Promise<void> {
    this.#loading = this.#loading
      .then(() => this.#load())
      .catch(error => {
        this.#log.error({ err: error, folder: this.#root }, 'tools folder could not be read')
      })
    return this.#loading
  }

  /** Follows the folder until `close`. */
  async watch(): Promise<void> {
    // Only who watches pays for the watcher.
    const { watch } = await import('chokidar')
    this.#watcher = watch(this.#root, {
      ignoreInitial: true,
      ignored: path => /[\\/](?:node_modules|\.[^\\/.]+)$/.test(path),
    })
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
    if (!existsSync(this.#root)) throw new Error(`no such folder: ${this.#root}`)
    const { tools, helpers } = this.#files()
    const helpersChanged = helpers !== this.#helpers
    this.#helpers = helpers
    // A new generation makes Node read the files anew, and what they import from this folder with them.
    this.#generation++
    const removed: Built[] = []
    const put: Built[] = []
    for (const [file, { entries }] of this.#served) {
      if (tools.has(file)) continue
      removed.push(...entries)
      this.#served.delete(file)
    }
    for (const [file, hash] of tools) {
      const before = this.#served.get(file)
      if (before?.hash === hash && !helpersChanged) continue
      const entries = await this.#read(file)
      this.#served.set(file, { hash, entries: entries ?? before?.entries ?? [] })
      if (entries === undefined) continue
      removed.push(...(before?.entries ?? []))
      put.push(...entries)
    }
    this.#serve(removed, put)
  }

  #serve(removed: Built[], put: Built[]): void {
    const gone = removed.filter(entry => this.#catalog.served(entry) === entry)
    if (gone.length + put.length > 0) this.#catalog.change(gone, put)
  }

  /** The entries of a file; undefined, and a line in the log, where it does not load. */
  async #read(file: string): Promise<Built[] | undefined> {
    const path = relative(process.cwd(), file)
    try {
      const url = pathToFileURL(file)
      url.searchParams.set('generation', String(this.#generation))
      const { default: exported } = (await import(url.href)) as { default?: unknown }
      if (exported === undefined) throw new Error('has no default export; export a tool or an array of tools')
      return (Array.isArray(exported) ? exported : [exported]).flatMap(definition =>
        this.#build(path, file, definition),
      )
    } catch (error) {
      const { message, line } = placeOf(error, file)
      this.#log.error({ file: path, line, reason: message }, 'tool file not loaded, what it served before stays')
      return undefined
    }
  }

  #build(path: string, file: string, definition: unknown): Built[] {
    try {
      const entry = this.#catalog.build(definition)
      const owner = [...this.#served].find(([other, { entries }]) => other !== file && entries.some(isSame(entry)))
      if (owner === undefined) return [entry]
      throw new Error(`${entry.key} is already defined in ${relative(process.cwd(), owner[0])}`)
    } catch (error) {
      this.#log.error({ file: path, reason: error instanceof Error ? error.message : String(error) }, 'tool not served')
      return []
    }
  }

  // Hashes rather than times: a save that changes nothing loads nothing.
  #files(): { tools: Map<string, string>; helpers: string } {
    const tools = new Map<string, string>()
    const helpers = createHash('sha256')
    const all = readdirSync(this.#root, { recursive: true, withFileTypes: true }).filter(isSource).slice(0, MAX_FILES)
    for (const entry of all.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
      const file = pathOf(entry)
      const hash = createHash('sha256').update(readFileSync(file)).digest('base64')
      if (isToolFile(relative(this.#root, file))) tools.set(file, hash)
      else helpers.update(file).update(hash)
    }
    return { tools, helpers: helpers.digest('base64') }
  }
}

const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name)
const isSource = (entry: Dirent) => entry.isFile() && !/[\\/]node_modules(?:[\\/]|$)/.test(entry.parentPath)
const isSame = (entry: Built) => (other: Built) => other.kind === entry.kind && other.key === entry.key

function placeOf(error: unknown, file: string): { message: string; line: number | undefined } {
  if (!(error instanceof Error)) return { message: String(error), line: undefined }
  const place = new RegExp(`${file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[^:\\n]*:(\\d+)`)
  const line = place.exec(error.stack ?? '')?.[1]
  return { message: error.message, line: line === undefined ? undefined : Number(line) }
}
