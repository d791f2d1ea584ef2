// Follows a tools folder as it changes, whatever odd entries are in it. Loaded only where a folder
// is watched.
import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { FSWatcher } from 'chokidar'
import type { Log } from '../../request/exchange.ts'

const SETTLE_MS = 50
/** How long a start waits until all is watched, ms; what changes before that may be seen late. */
const READY_MS = 5000
/** Of one entry; what is to be said of that is said where the folder is read. */
const ENTRY_ERROR_CODES = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'])

class Watcher extends FSWatcher {
  // A link of which it cannot find the end would end the reading of its folder, and nothing there
  // would be watched.
  override _readdirp(...args: Parameters<FSWatcher['_readdirp']>): ReturnType<FSWatcher['_readdirp']> {
    const stream = super._readdirp(...args)
    if (stream !== undefined) stream._onError = () => {}
    return stream
  }
}

export class FolderWatch {
  readonly #watcher: Watcher
  readonly #ready: Promise<unknown>
  #timer: NodeJS.Timeout | undefined

  /** @param onChange called when something has changed, and nothing else has for a moment */
  constructor(root: string, log: Log, onChange: () => void) {
    const told = new Set<unknown>()
    this.#watcher = new Watcher({ ignoreInitial: true, ignored: path => isIgnored(root, path) })
    const settle = () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(onChange, SETTLE_MS)
    }
    this.#watcher.on('all', settle)
    // Also of what it does not follow itself, such as a file that may be read from now on.
    this.#watcher.on('raw', (_event, name, within) => {
      const { watchedPath } = within as { watchedPath: string }
      if (!isIgnored(root, join(watchedPath, name ?? ''))) settle()
    })
    this.#watcher.on('error', error => {
      const { code, path } = error as NodeJS.ErrnoException
      if (told.has(code) || (ENTRY_ERROR_CODES.has(code ?? '') && path !== root)) return
      told.add(code)
      log.warn({ err: error }, 'tools folder is not watched any more')
    })
    this.#ready = new Promise(resolve => this.#watcher.once('ready', () => resolve(undefined)))
    // What is not there cannot be followed; the folder that it will be in can.
    this.#watcher.add(existsSync(root) ? root : dirname(root))
  }

  async ready(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise(resolve => (timer = setTimeout(resolve, READY_MS)))
    await Promise.race([this.#ready, late])
    clearTimeout(timer)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#watcher.close()
  }
}

// Neighbours of the folder are none of it. `..data` is how Kubernetes swaps a mounted folder; other
// hidden names are of editors and version control.
function isIgnored(root: string, path: string): boolean {
  const within = relative(root, path)
  if (within.startsWith(`..${sep}`)) return true
  const name = basename(within)
  if (name === '' || within === '..') return false
  return name === 'node_modules' || (name.startsWith('.') ? !name.startsWith('..') : isLinkToFolder(path))
}

// What is behind it is not read, and may be the whole disk.
function isLinkToFolder(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && statSync(path).isDirectory()
  } catch {
    // Gone, or a link that leads nowhere.
    return false
  }
}
