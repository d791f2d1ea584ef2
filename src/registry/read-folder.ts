// What is in a tools folder: which files hold tools, and a fingerprint of what they may import beside it.
// Reads files; loads none.
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isImported } from './module-hook.ts'

export interface FolderContents {
  /** Files that hold tools, each with the hash of what is in it; in order. */
  readonly tools: ReadonlyMap<string, string>
  /** Files that these may import. */
  readonly helpers: readonly string[]
  /** One hash for all that is imported. */
  readonly helpersHash: string
  /** Whether there were more files than are read. */
  readonly isCut: boolean
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

/** Hashes rather than times, so that a save which changes nothing loads nothing. Throws where there is no such folder. */
export function readFolder(root: string): FolderContents {
  const files = sourcesBelow(root)
    .take(MAX_FILES + 1)
    .toArray()
  const isCut = files.length > MAX_FILES
  const tools = new Map<string, string>()
  const helpers: string[] = []
  const helpersHash = createHash('sha256')
  for (const file of files.slice(0, MAX_FILES)) {
    const hash = createHash('sha256').update(readFileSync(file)).digest('base64')
    const isTool = isToolFile(relative(root, file))
    if (isTool) tools.set(file, hash)
    else helpers.push(file)
    if (!isTool || isImported(file)) helpersHash.update(file).update(hash)
  }
  return { tools, helpers, helpersHash: helpersHash.digest('base64'), isCut }
}

// Links to files are followed, since a mounted folder may hold nothing else; links to folders are not, since they may loop.
function* sourcesBelow(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => isVisible(name))
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sourcesBelow(path)
    else if (IMPORTABLE.test(entry.name) && isFile(entry, path)) yield path
  }
}

const isVisible = (name: string) => !name.startsWith('.') && name !== 'node_modules'

function isFile(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
