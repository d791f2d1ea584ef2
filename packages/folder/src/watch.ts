// Watches the folders with tool files, and folders that they import from, one by one. Each may be
// replaced by another one with the same name at any time.
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { Log } from 'toolrack/source'

/** Maximum number of watched folders. */
const MAX_FOLDERS = 1000
/**
 * Events within this time count as one change, ms: a save causes several, and a build writes many
 * files.
 */
const QUIET_MS = 50
/** A file that changes all the time is read this often, ms. */
const MOST_MS = 1000
/** The path is gone or not readable; the scan reports it. */
const EXPECTED_CODES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'])

interface Watched {
  readonly watcher: FSWatcher
  readonly inode: number
}

export class FolderWatch {
  readonly #log: Log
  readonly #onChange: () => void
  readonly #maxFolders: number
  readonly #watched = new Map<string, Watched>()
  /** Paths whose changes count. A path that ends with a separator stands for all names in it. */
  #wanted = new Set<string>()
  /** Paths that were added since the last sweep. */
  #added = new Set<string>()
  readonly #told = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #latestMs = 0

  /** @param onChange called when changes have settled */
  constructor(log: Log, onChange: () => void, maxFolders = MAX_FOLDERS) {
    this.#log = log
    this.#onChange = onChange
    this.#maxFolders = maxFolders
  }

  /**
   * From now on, each change in the folder counts. Call it before the folder is read, so that none
   * is missed.
   */
  addFolder(folder: string): void {
    this.#add(`${folder}${sep}`, folder)
  }

  /**
   * From now on, a change of the file or folder counts, also its creation.
   *
   * @returns whether this is new
   */
  addPath(path: string): boolean {
    // Watches its folder, or the nearest folder above that exists.
    let wanted = path
    while (!existsSync(dirname(wanted))) wanted = dirname(wanted)
    return this.#add(wanted, dirname(wanted))
  }

  /** Forgets paths that were not added since the last sweep. */
  sweep(): void {
    this.#wanted = this.#added
    this.#added = new Set()
    const used = new Set([...this.#wanted].map(path => (path.endsWith(sep) ? path.slice(0, -1) : dirname(path))))
    for (const folder of this.#watched.keys()) if (!used.has(folder)) this.#unwatch(folder)
  }

  /** Something has changed, or may have. */
  touch(): void {
    const nowMs = performance.now()
    if (this.#timer === undefined) this.#latestMs = nowMs + MOST_MS
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#settle(), Math.min(QUIET_MS, Math.max(0, this.#latestMs - nowMs)))
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const folder of this.#watched.keys()) this.#unwatch(folder)
  }

  #settle(): void {
    this.#timer = undefined
    this.#onChange()
  }

  #add(wanted: string, folder: string): boolean {
    this.#wanted.add(wanted)
    this.#added.add(wanted)
    try {
      const inode = statSync(folder).ino
      if (this.#watched.get(folder)?.inode === inode) return false
      this.#unwatch(folder)
      if (this.#watched.size >= this.#maxFolders) {
        this.#warnOnce(`the first ${this.#maxFolders} folders of tools are watched; changes in others need a reload`)
        return false
      }
      const watcher = watch(folder, { persistent: false }, (event, name) => this.#onEvent(folder, event, name))
      watcher.on('error', error => this.#onError(folder, error))
      this.#watched.set(folder, { watcher, inode })
      return true
    } catch (error) {
      this.#onError(folder, error)
      return false
    }
  }

  #onEvent(folder: string, event: string, name: string | null): void {
    const isItself = name === basename(folder)
    // Another folder may have its name, and even its inode.
    if (isItself && event === 'rename') this.#unwatch(folder)
    const isOfFolder = this.#wanted.has(`${folder}${sep}`) && !isIgnored(name ?? '')
    if (name === null || isItself || isOfFolder || this.#wanted.has(join(folder, name))) this.touch()
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.watcher.close()
    this.#watched.delete(folder)
  }

  #onError(folder: string, error: unknown): void {
    this.#unwatch(folder)
    const { code = '' } = error as NodeJS.ErrnoException
    if (!EXPECTED_CODES.has(code))
      this.#warnOnce(`a folder of tools cannot be watched (${code}); its changes need a reload`)
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#log.warn({}, text)
  }
}

/** Hidden names except `..data`, which Kubernetes swaps. */
const isIgnored = (name: string) => name === 'node_modules' || (name.startsWith('.') && !name.startsWith('..'))
