// Reads a tools folder: its tool files, a hash of the files that they may import, and unreadable
// entries.
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { findRules, HOOKS_FILE, isMeantAsHooks } from './file-texts/misplaced-rules.ts'
import { JSX_FIX } from './file-texts/syntax.ts'
import { definesTools } from './file-texts/unserved-files.ts'
import { isImported } from './imports.ts'
import { toPosix } from './tool-roots.ts'
import type { FolderWatch } from './watch.ts'

// Never blocks: opening a FIFO as a file would wait until another process writes to it.

/** Larger files are skipped, since reading is synchronous. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

export type EntryContent =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** A link to a folder. */
  | { readonly kind: 'folder' }
  /** Removed since its folder was listed. */
  | { readonly kind: 'gone' }
  | UnreadableEntry

export interface UnreadableEntry {
  readonly kind: 'fault'
  readonly reason: string
  /** Whether an unreadable file may exist there. */
  readonly isThere: boolean
}

/** Error codes of a broken link. */
const BROKEN_LINK_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const isTooLarge = ({ size }: Stats) => size > MAX_FILE_BYTES

export function readEntry(path: string, { isLink }: { isLink: boolean }): EntryContent {
  try {
    // Checked before it is opened, because opening a device may have an effect.
    const stats = statSync(path)
    if (stats.isDirectory()) return { kind: 'folder' }
    return stats.isFile() && !isTooLarge(stats) ? readOpened(path) : toUnreadableEntry(stats)
  } catch (error) {
    return explainUnreadable(error, isLink)
  }
}

function readOpened(path: string): EntryContent {
  // The path may lead to another file by now.
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

/** The message of a file system error without its path. */
export function shortReason(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(', ', 1)
  return reason
}

export interface FolderContents {
  /** Hashes of the tool files by path, sorted. */
  readonly tools: ReadonlyMap<string, string>
  /** Files that tool files may import. */
  readonly helpers: readonly string[]
  /** One hash of all imported files. */
  readonly helpersHash: string
  /** Whether the folder has more than MAX_FILES files. */
  readonly isCut: boolean
  /** Unreadable entries that look like tool files or folders, by path. */
  readonly skipped: ReadonlyMap<string, SkippedEntry>
  /** Those of the given words that occur in its files. */
  readonly words: ReadonlySet<string>
  /** Files that may have rules without effect, with the names of the rules if known. */
  readonly ruleFiles: ReadonlyMap<string, readonly string[]>
  /** Files below the top that define tools, and would serve them only through an import. */
  readonly definers: readonly string[]
}

export interface SkippedEntry {
  readonly reason: string
  /** Whether unreadable files may exist there, or below. */
  readonly isThere: boolean
}

/** Maximum number of files that are read per folder. */
export const MAX_FILES = 2000

const TOOL_FILE = /^(?:[^/]+|[^/]+\/index)\.[cm]?[jt]s$/
/** No tool imports them, so their changes reload nothing. */
const TEST_OR_TYPES = /\.(?:d|test|spec)\.[cm]?[jt]s$/
const NOT_A_TOOL = new RegExp(`(?:^|/)[._]|${TEST_OR_TYPES.source}`)
const JSX_ENDING = /\.[jt]sx$/
const JSX = /^(?:[^/]+|[^/]+\/index)\.[jt]sx$/
const IMPORTABLE = /\.(?:[cm]?[jt]s|json|wasm|node)$/

/**
 * A file at the top of the folder, or an index one level below. Not a hidden file, test or
 * declaration.
 */
function isToolFile(path: string, names = TOOL_FILE): boolean {
  const posix = toPosix(path)
  return names.test(posix) && !NOT_A_TOOL.test(posix)
}

export interface ScanOptions {
  /** Words to search for in files. */
  readonly words?: readonly string[]
  /** Gets each path before it is read. */
  readonly watch?: FolderWatch | undefined
}

/**
 * Compares hashes, not times, so saving an unchanged file reloads nothing.
 *
 * @throws a file system error if the folder is missing or cannot be read
 */
export function readFolder(root: string, options: ScanOptions = {}): FolderContents {
  options.watch?.addPath(root)
  // Throws if the folder may be listed but not entered.
  statSync(`${root}${sep}.`)
  const reading = new FolderScan(root, options)
  reading.readBelow(root, reading.list(root))
  return reading.contents()
}

class FolderScan {
  readonly #root: string
  readonly #tools = new Map<string, string>()
  readonly #helpers: string[] = []
  readonly #definers: string[] = []
  readonly #helpersHash = createHash('sha256')
  readonly #skipped = new Map<string, SkippedEntry>()
  /** Folders that are named like a tool file. */
  readonly #toolLikeFolders: string[] = []
  #entries = 0

  readonly #ruleFiles = new Map<string, readonly string[]>()
  readonly #words: readonly string[]
  readonly #watch: FolderWatch | undefined
  readonly #foundWords = new Set<string>()

  constructor(root: string, { words = [], watch }: ScanOptions) {
    this.#root = root
    this.#words = words
    this.#watch = watch
  }

  /** @throws a file system error */
  list(folder: string): Dirent[] {
    this.#watch?.addFolder(folder)
    return readdirSync(folder, { withFileTypes: true })
  }

  readBelow(folder: string, entries: readonly Dirent[]): void {
    const visible = entries.filter(isVisible).sort(compareEntries)
    for (const entry of visible) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) this.#readFolder(path)
      else if (IMPORTABLE.test(entry.name)) this.#readFile(path, entry)
      else this.#noteOther(path, entry)
      if (this.#entries > MAX_FILES) return
    }
  }

  /** Records a file that nothing can import. It has no tools, but may be meant to have rules. */
  #noteOther(path: string, entry: Dirent): void {
    const name = relative(this.#root, path)
    if (isToolFile(name, JSX)) this.#skipped.set(path, { reason: JSX_FIX, isThere: false })
    if (isMeantAsHooks(name)) this.#ruleFiles.set(path, [])
    else if (JSX_ENDING.test(name)) {
      const content = readEntry(path, { isLink: entry.isSymbolicLink() })
      if (content.kind === 'file') this.#noteRules(path, content.bytes)
    }
  }

  #noteRules(path: string, bytes: Buffer): void {
    const rules = findRules(relative(this.#root, path), bytes)
    if (rules !== undefined) this.#ruleFiles.set(path, rules)
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
      words: this.#foundWords,
      ruleFiles: this.#ruleFiles,
      definers: this.#definers,
    }
  }

  // Links to folders are not followed, since they may loop.
  #readFolder(path: string): void {
    if (isToolFile(relative(this.#root, path))) this.#toolLikeFolders.push(path)
    let entries: Dirent[]
    try {
      entries = this.list(path)
    } catch (error) {
      this.#entries++
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#explainGone(path)
      else this.#skipped.set(path, { reason: shortReason(error), isThere: true })
      return
    }
    this.readBelow(path, entries)
  }

  // Links to files are followed: a mounted folder may contain nothing else.
  #readFile(path: string, entry: Dirent): void {
    if (++this.#entries > MAX_FILES) return
    if (entry.isSymbolicLink()) this.#watchLinked(path)
    const content = readEntry(path, { isLink: entry.isSymbolicLink() })
    if (content.kind === 'file') this.#add(path, content.bytes)
    else if (content.kind === 'fault') this.#skip(path, content)
    else if (content.kind === 'gone') this.#explainGone(path)
    else if (content.kind === 'folder' && isToolFile(relative(this.#root, path))) {
      this.#skipped.set(path, { reason: 'is a link to a folder, which is not followed', isThere: false })
    }
  }

  #watchLinked(link: string): void {
    try {
      this.#watch?.addPath(realpathSync(link))
    } catch {
      // The link leads nowhere; the reader of the folder reports it.
    }
  }

  /** An unreadable entry may contain rules. */
  #skip(path: string, content: UnreadableEntry): void {
    this.#skipped.set(path, content)
    const name = relative(this.#root, path)
    if (isMeantAsHooks(name) && !HOOKS_FILE.test(name)) this.#ruleFiles.set(path, [])
  }

  // A removed file is fine. But a file whose name is not UTF-8 also looks removed.
  #explainGone(path: string): void {
    if (basename(path).includes('\ufffd')) {
      this.#skipped.set(path, { reason: 'has a name that is not UTF-8', isThere: false })
    }
  }

  #add(file: string, bytes: Buffer): void {
    const hash = createHash('sha256').update(bytes).digest('base64')
    const name = relative(this.#root, file)
    const isTool = isToolFile(name)
    this.#noteRules(file, bytes)
    if (isTool) this.#tools.set(file, hash)
    else this.#helpers.push(file)
    if (!isTool && !NOT_A_TOOL.test(toPosix(name)) && definesTools(bytes)) this.#definers.push(file)
    if (isImported(file) || (!isTool && !TEST_OR_TYPES.test(name))) this.#helpersHash.update(file).update(hash)
    for (const word of this.#words) if (hasWord(bytes, word)) this.#foundWords.add(word)
  }
}

const isVisible = (entry: Dirent) =>
  entry.name.startsWith('.') ? entry.isFile() && isMeantAsHooks(entry.name) : entry.name !== 'node_modules'

/** Rules come first, so that they are read however many files there are. */
const compareEntries = (a: Dirent, b: Dirent) =>
  Number(isMeantAsHooks(b.name)) - Number(isMeantAsHooks(a.name)) || (a.name < b.name ? -1 : 1)

/** Whether a text contains the name as a whole word. */
function hasWord(bytes: Buffer, word: string): boolean {
  const isPart = (at: number) => /\w/.test(String.fromCharCode(bytes[at] ?? 0))
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) {
    if (!isPart(at - 1) && !isPart(at + word.length)) return true
  }
  return false
}
