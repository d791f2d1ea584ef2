// What is in a tools folder: which files hold tools, a fingerprint of what they may import beside it, and which entries
// are none of these. Reads files; loads none.
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { isImported } from './module-hook.ts'
import { readEntry, shortReason } from './read-entry.ts'

export interface FolderContents {
  /** Files that hold tools, each with the hash of what is in it; in order. */
  readonly tools: ReadonlyMap<string, string>
  /** Files that these may import. */
  readonly helpers: readonly string[]
  /** One hash for all that is imported. */
  readonly helpersHash: string
  /** Whether there were more files than are read. */
  readonly isCut: boolean
  /** Entries that look like files or folders of it and cannot be read, by their path. */
  readonly faults: ReadonlyMap<string, UnreadEntry>
}

export interface UnreadEntry {
  readonly reason: string
  /** Whether there may be files there, or below, which cannot be read now. */
  readonly isThere: boolean
}

/** Most files of a folder. */
export const MAX_FILES = 2000

const TOOL_FILE = /^(?:[^/]+\.(?:ts|js|mjs)|[^/]+\/index\.(?:ts|js|mjs))$/
const NOT_A_TOOL = /(?:^|\/)[._]|\.(?:d|test|spec)\.(?:ts|js|mjs)$/
const IMPORTABLE = /\.(?:[cm]?[jt]s|json|wasm|node)$/

/** A file at the top of the folder, or the index of a folder in it; not `_hidden`, `.hidden`, tests or declarations. */
function isToolFile(path: string): boolean {
  const posix = sep === '/' ? path : path.split(sep).join('/')
  return TOOL_FILE.test(posix) && !NOT_A_TOOL.test(posix)
}

/**
 * Hashes rather than times, so that a save which changes nothing loads nothing.
 *
 * @throws what the file system throws where the folder itself is missing or cannot be read
 */
export function readFolder(root: string): FolderContents {
  // Names alone can be read of a folder that is not to be entered.
  statSync(`${root}${sep}.`)
  const reading = new Reading(root)
  reading.readBelow(root, readdirSync(root, { withFileTypes: true }))
  return reading.contents()
}

class Reading {
  readonly #root: string
  readonly #tools = new Map<string, string>()
  readonly #helpers: string[] = []
  readonly #helpersHash = createHash('sha256')
  readonly #faults = new Map<string, UnreadEntry>()
  /** Folders that are named like tool files. */
  readonly #misnamed: string[] = []
  #entries = 0

  constructor(root: string) {
    this.#root = root
  }

  readBelow(folder: string, entries: readonly Dirent[]): void {
    const visible = entries.filter(({ name }) => isVisible(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of visible) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) this.#readFolder(path)
      else if (IMPORTABLE.test(entry.name)) this.#readFile(path, entry)
      if (this.#entries > MAX_FILES) return
    }
  }

  contents(): FolderContents {
    for (const folder of this.#misnamed) {
      const isUsed = [...this.#tools.keys()].some(file => file.startsWith(folder + sep))
      if (!isUsed && !this.#faults.has(folder)) {
        this.#faults.set(folder, { reason: 'is a folder, without an index', isThere: false })
      }
    }
    return {
      tools: this.#tools,
      helpers: this.#helpers,
      helpersHash: this.#helpersHash.digest('base64'),
      isCut: this.#entries > MAX_FILES,
      faults: this.#faults,
    }
  }

  // Links to folders are not followed, since they may loop.
  #readFolder(path: string): void {
    if (isToolFile(relative(this.#root, path))) this.#misnamed.push(path)
    let entries: Dirent[]
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch (error) {
      this.#entries++
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#explainGone(path)
      else this.#faults.set(path, { reason: shortReason(error), isThere: true })
      return
    }
    this.readBelow(path, entries)
  }

  // Links to files are followed, since a mounted folder may hold nothing else.
  #readFile(path: string, entry: Dirent): void {
    if (++this.#entries > MAX_FILES) return
    const content = readEntry(path, { isLink: entry.isSymbolicLink() })
    if (content.kind === 'file') this.#add(path, content.bytes)
    else if (content.kind === 'fault') this.#faults.set(path, content)
    else if (content.kind === 'gone') this.#explainGone(path)
    else if (content.kind === 'folder' && isToolFile(relative(this.#root, path))) {
      this.#faults.set(path, { reason: 'is a link to a folder, which is not followed', isThere: false })
    }
  }

  // What has gone since it was listed is no fault, unless it is still there, under a name that cannot be written here.
  #explainGone(path: string): void {
    if (basename(path).includes('\ufffd')) {
      this.#faults.set(path, { reason: 'has a name that is not UTF-8', isThere: false })
    }
  }

  #add(file: string, bytes: Buffer): void {
    const hash = createHash('sha256').update(bytes).digest('base64')
    const isTool = isToolFile(relative(this.#root, file))
    if (isTool) this.#tools.set(file, hash)
    else this.#helpers.push(file)
    if (!isTool || isImported(file)) this.#helpersHash.update(file).update(hash)
  }
}

const isVisible = (name: string) => !name.startsWith('.') && name !== 'node_modules'
