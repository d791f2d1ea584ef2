// Files outside of the tools folders that tool files import: which have changed since they were
// loaded, and a watch of the folders that they are in.
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import { findFile, isReadAnew, onFirstImport } from './imports.ts'
import { hashText, listImportedElsewhere, readAnew } from './modules.ts'
import { readEntry } from './scan.ts'
import { Settle } from './settle.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

/** Files that are compared, and folders that are watched. */
export interface ElsewhereLimits {
  readonly maxFiles: number
  readonly maxFolders: number
}

const LIMITS: ElsewhereLimits = { maxFiles: 2000, maxFolders: 200 }
/** How long imports of a handler that runs are collected, ms. */
const FOLLOW_MS = 50

interface Watched {
  readonly watcher: FSWatcher
  /** A folder that is made anew has to be watched anew. */
  readonly inode: number
}

export class ImportedElsewhere {
  readonly #roots: readonly ToolRoot[]
  readonly #log: Log
  readonly #limits: ElsewhereLimits
  /** What the tools of this server have loaded, by path. */
  readonly #loaded = new Map<string, string>()
  readonly #told = new Set<string>()
  readonly #watched = new Map<string, Watched>()
  /** Paths whose change counts: files, or folders that they will be in. */
  #wanted: ReadonlySet<string> = new Set()
  #stale: readonly string[] = []
  #changes: Settle | undefined
  #following: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined

  constructor(roots: readonly ToolRoot[], log: Log, limits: ElsewhereLimits = LIMITS) {
    this.#roots = roots
    this.#log = log
    this.#limits = limits
  }

  /** Compares them with what was loaded. @returns whether tools have to be loaded again */
  read(): boolean {
    const changed = this.#list().filter(file => {
      const [before, now] = [this.#loaded.get(file) ?? findFile(file)?.hash, hashFile(file)]
      this.#loaded.set(file, now)
      return before !== undefined && before !== now
    })
    const own = changed.filter(file => isReadAnew(findFile(file)))
    for (const file of changed.filter(each => !own.includes(each))) {
      const text = 'a module that the program shares with its tools has changed: restart to use it'
      this.#log.warn({ file: fileName(file) }, text)
    }
    // Another server may have loaded it by now.
    this.#stale = own.filter(file => findFile(file)?.hash !== this.#loaded.get(file))
    return own.length > 0
  }

  /** Has what has changed loaded again by files of this generation. */
  renew(generation: number): void {
    readAnew(this.#stale, generation, this.#roots)
    this.#stale = []
  }

  /** Calls back when one of them changes; from the next `follow` on. */
  watch(onChange: () => void): void {
    this.#changes = new Settle(onChange)
    // A handler may import when it runs.
    this.#unlisten = onFirstImport(() => {
      this.#following ??= setTimeout(() => this.follow(), FOLLOW_MS).unref()
    })
  }

  /** Learns which they are now. Call after a load. */
  follow(): void {
    clearTimeout(this.#following)
    this.#following = undefined
    for (const file of this.#list())
      if (!this.#loaded.has(file)) this.#loaded.set(file, findFile(file)?.hash ?? hashFile(file))
    if (this.#changes === undefined) return
    const hadAll = this.#watchFolders()
    // One may have changed between its load and the watch.
    if (!hadAll && this.#list().some(file => hashFile(file) !== this.#loaded.get(file))) this.#changes.touch()
  }

  close(): void {
    this.#changes?.clear()
    clearTimeout(this.#following)
    this.#unlisten?.()
    this.#changes = undefined
    for (const { watcher } of this.#watched.values()) watcher.close()
  }

  #list(): readonly string[] {
    const { maxFiles } = this.#limits
    const files = listImportedElsewhere(this.#roots)
    if (files.length > maxFiles)
      this.#warnOnce(`of the files that tools import from elsewhere, changes of the first ${maxFiles} count`)
    return files.slice(0, maxFiles)
  }

  /** @returns whether all of them were watched before */
  #watchFolders(): boolean {
    const { maxFolders } = this.#limits
    this.#wanted = new Set(this.#list().map(findWatchable))
    const folders = new Set([...this.#wanted].map(path => dirname(path)))
    if (folders.size > maxFolders)
      this.#warnOnce(`of the folders that tools import from, the first ${maxFolders} are watched; others need a reload`)
    const followed = [...folders].slice(0, maxFolders)
    for (const folder of this.#watched.keys()) if (!followed.includes(folder)) this.#unwatch(folder)
    return followed.filter(folder => this.#watchFolder(folder)).length === 0
  }

  /** @returns whether it was not watched before */
  #watchFolder(folder: string): boolean {
    try {
      const inode = statSync(folder).ino
      if (this.#watched.get(folder)?.inode === inode) return false
      this.#unwatch(folder)
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === basename(folder) || this.#wanted.has(join(folder, name))) this.#changes?.touch()
      })
      watcher.on('error', error => this.#onWatchError(error))
      this.#watched.set(folder, { watcher, inode })
      return true
    } catch (error) {
      this.#onWatchError(error)
      return false
    }
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.watcher.close()
    this.#watched.delete(folder)
  }

  #onWatchError(error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    this.#warnOnce(`a folder that tools import from is not watched (${code}); its changes need a reload`)
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#log.warn({}, text)
  }
}

/** @returns '' if it is missing, or cannot be read */
function hashFile(file: string): string {
  const entry = readEntry(file, { isLink: false })
  return entry.kind === 'file' ? hashText(entry.bytes) : ''
}

/** The file, or the first folder above it that is missing: of what is there, its folder is watched. */
function findWatchable(file: string): string {
  let path = file
  while (!existsSync(dirname(path))) path = dirname(path)
  return path
}
