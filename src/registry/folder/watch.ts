// Watches a tools folder for folder-source.ts, which reloads; imported only if watching is on.
import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { FSWatcher } from 'chokidar'
import type { Log } from '../../request/exchange.ts'
import { toLogged } from '../../text/logged-error.ts'
import { Settle } from './settle.ts'

/** How long a start waits for the watcher, ms; changes before that may be noticed late. */
const READY_MS = 5000
/** Errors of a single entry, which the scan reports. */
const ENTRY_ERROR_CODES = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'])

class Watcher extends FSWatcher {
  // A link that cannot be resolved would stop chokidar from watching the rest of the folder.
  override _readdirp(...args: Parameters<FSWatcher['_readdirp']>): ReturnType<FSWatcher['_readdirp']> {
    const stream = super._readdirp(...args)
    if (stream !== undefined) stream._onError = () => {}
    return stream
  }
}

export class FolderWatch {
  readonly #watcher: Watcher
  readonly #ready: Promise<unknown>
  readonly #changes: Settle

  /** @param onChange called when changes have settled */
  constructor(root: string, log: Log, onChange: () => void) {
    const told = new Set<unknown>()
    this.#watcher = new Watcher({ ignoreInitial: true, ignored: path => isIgnored(root, path) })
    this.#changes = new Settle(onChange)
    this.#watcher.on('all', () => this.#changes.touch())
    // Raw events also cover what chokidar ignores, such as a file that becomes readable.
    this.#watcher.on('raw', (_event, name, within) => {
      const { watchedPath } = within as { watchedPath: string }
      if (!isIgnored(root, join(watchedPath, name ?? ''))) this.#changes.touch()
    })
    this.#watcher.on('error', error => {
      const { code, path } = error as NodeJS.ErrnoException
      if (told.has(code) || (ENTRY_ERROR_CODES.has(code ?? '') && path !== root)) return
      told.add(code)
      log.warn({ err: toLogged(error) }, 'tools folder is no longer watched')
    })
    this.#ready = new Promise(resolve => this.#watcher.once('ready', () => resolve(undefined)))
    // A missing folder cannot be watched, but its parent can.
    this.#watcher.add(existsSync(root) ? root : dirname(root))
  }

  async ready(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise(resolve => (timer = setTimeout(resolve, READY_MS)))
    await Promise.race([this.#ready, late])
    clearTimeout(timer)
  }

  async close(): Promise<void> {
    this.#changes.clear()
    await this.#watcher.close()
  }
}

// Ignores the folder's siblings, and hidden names except `..data`, which Kubernetes swaps.
function isIgnored(root: string, path: string): boolean {
  const within = relative(root, path)
  if (within.startsWith(`..${sep}`)) return true
  const name = basename(within)
  if (name === '' || within === '..') return false
  return name === 'node_modules' || (name.startsWith('.') ? !name.startsWith('..') : isLinkToFolder(path))
}

// Linked folders are not read, and may lead to the whole disk.
function isLinkToFolder(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && statSync(path).isDirectory()
  } catch {
    // Removed, or a broken link.
    return false
  }
}
