// Watches files outside of the tools folders that tool files import: which have changed since their
// load?
import type { Log } from 'toolrack/source'
import { findFile, isReadAnew, onFirstImport } from './imports.ts'
import { hashText, listImportedElsewhere, readAnew } from './modules.ts'
import { readEntry } from './scan.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'
import type { FolderWatch } from './watch.ts'

/** Maximum number of files that are compared. */
const MAX_FILES = 2000
/** How long imports of a running handler are collected, ms. */
const FOLLOW_MS = 50

export class ImportedElsewhere {
  readonly #roots: readonly ToolRoot[]
  readonly #log: Log
  readonly #maxFiles: number
  /** The hash of each file that the tools of this server have loaded, by path. */
  readonly #loaded = new Map<string, string>()
  readonly #told = new Set<string>()
  #stale: readonly string[] = []
  #watch: FolderWatch | undefined
  #following: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined

  constructor(roots: readonly ToolRoot[], log: Log, maxFiles = MAX_FILES) {
    this.#roots = roots
    this.#log = log
    this.#maxFiles = maxFiles
  }

  /** Compares the files with their loaded versions. @returns whether tools must be loaded again */
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

  /** Makes files of this generation load the changed files again. */
  renew(generation: number): void {
    readAnew(this.#stale, generation, this.#roots)
    this.#stale = []
  }

  /** Adds the files to the watch, from the next `follow` on. */
  watchBy(watch: FolderWatch): void {
    this.#watch = watch
    // A handler may import a file when it runs.
    this.#unlisten = onFirstImport(() => {
      this.#following ??= setTimeout(() => this.follow(), FOLLOW_MS).unref()
    })
  }

  /** Lists the files anew. Call it after a load. */
  follow(): void {
    clearTimeout(this.#following)
    this.#following = undefined
    for (const file of this.#list())
      if (!this.#loaded.has(file)) this.#loaded.set(file, findFile(file)?.hash ?? hashFile(file))
    const watch = this.#watch
    if (watch === undefined) return
    const news = this.#list().filter(file => watch.addPath(file))
    // A file may have changed between its load and the watch.
    if (news.length > 0 && this.#list().some(file => hashFile(file) !== this.#loaded.get(file))) watch.touch()
  }

  close(): void {
    clearTimeout(this.#following)
    this.#unlisten?.()
  }

  #list(): readonly string[] {
    const maxFiles = this.#maxFiles
    const files = listImportedElsewhere(this.#roots)
    if (files.length > maxFiles)
      this.#warnOnce(`of the files that tools import from elsewhere, changes of the first ${maxFiles} count`)
    return files.slice(0, maxFiles)
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return
    this.#told.add(text)
    this.#log.warn({}, text)
  }
}

/** @returns '' if the file is missing or unreadable */
function hashFile(file: string): string {
  const entry = readEntry(file, { isLink: false })
  return entry.kind === 'file' ? hashText(entry.bytes) : ''
}
