// What is in a tools folder: which files hold tools, a fingerprint of what they may import beside
// it, and which entries are none of these. Reads files; loads none.
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { isImported } from './modules.ts'

// One entry of a tools folder, whatever it turns out to be: a file's content, or in a few words why
// it has none. Nothing here waits: a FIFO that is opened as a file would, for as long as nobody
// writes to it.

/** Larger files are not read: whole, and at once, they would hold up all else. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

export type EntryContent =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** A link to a folder; folders themselves are told by their entry. */
  | { readonly kind: 'folder' }
  /** It went away since its folder was listed. */
  | { readonly kind: 'gone' }
  | UnreadableEntry

export interface UnreadableEntry {
  readonly kind: 'fault'
  readonly reason: string
  /** Whether there may be a file behind it, which cannot be read now. */
  readonly isThere: boolean
}

/** Ways in which a link leads nowhere. */
const BROKEN_LINK_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const isTooLarge = ({ size }: Stats) => size > MAX_FILE_BYTES

export function readEntry(path: string, { isLink }: { isLink: boolean }): EntryContent {
  try {
    // Looked at before it is opened: that alone may do something to a device.
    const stats = statSync(path)
    if (stats.isDirectory()) return { kind: 'folder' }
    return stats.isFile() && !isTooLarge(stats) ? readOpened(path) : toUnreadableEntry(stats)
  } catch (error) {
    return explainUnreadable(error, isLink)
  }
}

function readOpened(path: string): EntryContent {
  // It may be another by now.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || isTooLarge(stats)) return toUnreadableEntry(stats)
    return { kind: 'file', bytes: readFileSync(descriptor) }
  } finally {
    closeSync(descriptor)
  }
}

function toUnreadableEntry(stats: Stats): UnreadableEntry {
  if (!stats.isFile()) return { kind: 'fault', reason: `is ${describeFileType(stats)}, not a file`, isThere: false }
  return { kind: 'fault', reason: `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`, isThere: true }
}

function describeFileType(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isDirectory() ? 'a folder' : 'a device'
}

function explainUnreadable(error: unknown, isLink: boolean): EntryContent {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!BROKEN_LINK_CODES.has(code)) return { kind: 'fault', reason: shortReason(error), isThere: true }
  if (isLink) return { kind: 'fault', reason: `is a link that leads nowhere (${shortReason(error)})`, isThere: false }
  return code === 'ENOENT' ? { kind: 'gone' } : { kind: 'fault', reason: shortReason(error), isThere: false }
}

/** What an error of the file system says, without the path. */
export function shortReason(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(', ', 1)
  return reason
}

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
  readonly skipped: ReadonlyMap<string, SkippedEntry>
}

export interface SkippedEntry {
  readonly reason: string
  /** Whether there may be files there, or below, which cannot be read now. */
  readonly isThere: boolean
}

/** Most files of a folder. */
export const MAX_FILES = 2000

const TOOL_FILE = /^(?:[^/]+\.(?:ts|js|mjs)|[^/]+\/index\.(?:ts|js|mjs))$/
const NOT_A_TOOL = /(?:^|\/)[._]|\.(?:d|test|spec)\.(?:ts|js|mjs)$/
const IMPORTABLE = /\.(?:[cm]?[jt]s|json|wasm|node)$/

/**
 * A file at the top of the folder, or the index of a folder in it; not `_hidden`, `.hidden`, tests
 * or declarations.
 */
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
  const reading = new FolderScan(root)
  reading.readBelow(root, readdirSync(root, { withFileTypes: true }))
  return reading.contents()
}

class FolderScan {
  readonly #root: string
  readonly #tools = new Map<string, string>()
  readonly #helpers: string[] = []
  readonly #helpersHash = createHash('sha256')
  readonly #skipped = new Map<string, SkippedEntry>()
  /** Folders that are named like tool files. */
  readonly #toolLikeFolders: string[] = []
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
    for (const folder of this.#toolLikeFolders) {
      const isUsed = [...this.#tools.keys()].some(file => file.startsWith(folder + sep))
      if (!isUsed && !this.#skipped.has(folder)) {
        this.#skipped.set(folder, { reason: 'is a folder, without an index', isThere: false })
      }
    }
    return {
      tools: this.#tools,
      helpers: this.#helpers,
      helpersHash: this.#helpersHash.digest('base64'),
      isCut: this.#entries > MAX_FILES,
      skipped: this.#skipped,
    }
  }

  // Links to folders are not followed, since they may loop.
  #readFolder(path: string): void {
    if (isToolFile(relative(this.#root, path))) this.#toolLikeFolders.push(path)
    let entries: Dirent[]
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch (error) {
      this.#entries++
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#explainGone(path)
      else this.#skipped.set(path, { reason: shortReason(error), isThere: true })
      return
    }
    this.readBelow(path, entries)
  }

  // Links to files are followed, since a mounted folder may hold nothing else.
  #readFile(path: string, entry: Dirent): void {
    if (++this.#entries > MAX_FILES) return
    const content = readEntry(path, { isLink: entry.isSymbolicLink() })
    if (content.kind === 'file') this.#add(path, content.bytes)
    else if (content.kind === 'fault') this.#skipped.set(path, content)
    else if (content.kind === 'gone') this.#explainGone(path)
    else if (content.kind === 'folder' && isToolFile(relative(this.#root, path))) {
      this.#skipped.set(path, { reason: 'is a link to a folder, which is not followed', isThere: false })
    }
  }

  // What has gone since it was listed is no fault, unless it is still there, under a name that
  // cannot be written here.
  #explainGone(path: string): void {
    if (basename(path).includes('\ufffd')) {
      this.#skipped.set(path, { reason: 'has a name that is not UTF-8', isThere: false })
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
