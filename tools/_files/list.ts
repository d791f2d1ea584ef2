// Lists a folder of FILES_DIR: only the files and folders that the other tools can open.
import { lstat, opendir } from 'node:fs/promises'
import { noSuchFolder } from './faults.ts'
import { at, type Folder, inFolder, openIn, type Way } from './folder.ts'
import { isName, MAX_DEPTH, MAX_PATH_LENGTH, partsOf } from './path.ts'

export interface Entry {
  readonly name: string
  /** Path from the files folder. */
  readonly path: string
  readonly type: 'file' | 'folder'
  /** Size of a file, bytes. */
  readonly size?: number
  /** ISO 8601. */
  readonly modified: string
}

export interface Listing {
  readonly entries: Entry[]
  /** True if the folder has more entries than one call reads. */
  isCut: boolean
}

/** Entries that one call reads at most. */
export const MAX_ENTRIES = 10_000
const AT_ONCE = 32

interface Walk {
  readonly listing: Listing
  readonly isRecursive: boolean
  readonly signal: AbortSignal
  seen: number
}

/**
 * @returns entries sorted by the code units of their paths
 * @throws ToolError if there is no such folder
 */
export async function listFolder(
  path: string,
  { isRecursive, signal, ...way }: Way & { isRecursive: boolean; signal: AbortSignal },
): Promise<Listing> {
  const parts = partsOf(path)
  const walk: Walk = { listing: { entries: [], isCut: false }, isRecursive, signal, seen: 0 }
  await inFolder(parts, folder => visit(walk, folder, parts), way)
  walk.listing.entries.sort((one, other) => (one.path < other.path ? -1 : 1))
  return walk.listing
}

async function visit(walk: Walk, folder: Folder, parts: readonly string[]): Promise<void> {
  const names = await namesIn(walk, folder, parts.join('/'))
  for (let start = 0; start < names.length; start += AT_ONCE) {
    walk.signal.throwIfAborted()
    const some = names.slice(start, start + AT_ONCE)
    const found = await Promise.all(some.map(name => entryOf(folder, name, parts)))
    for (const entry of found) if (entry !== undefined) walk.listing.entries.push(entry)
    if (walk.isRecursive) for (const entry of found) if (entry?.type === 'folder') await descend(walk, folder, entry)
  }
}

async function namesIn(walk: Walk, folder: Folder, path: string): Promise<string[]> {
  const names: string[] = []
  const reading = await opendir(at(folder, '.')).catch(error => {
    throw noSuchFolder(path, error)
  })
  for await (const { name } of reading) {
    if (++walk.seen > MAX_ENTRIES) {
      walk.listing.isCut = true
      break
    }
    if (isName(name)) names.push(name)
  }
  return names.sort()
}

async function entryOf(folder: Folder, name: string, parts: readonly string[]): Promise<Entry | undefined> {
  const stats = await lstat(at(folder, name)).catch(() => undefined)
  const path = [...parts, name].join('/')
  if (stats === undefined || path.length > MAX_PATH_LENGTH) return undefined
  const modified = stats.mtime.toISOString()
  if (stats.isDirectory()) return { name, path, type: 'folder', modified }
  if (!stats.isFile() || stats.nlink > 1) return undefined
  return { name, path, type: 'file', size: stats.size, modified }
}

// A folder that cannot be opened, or is no longer a folder, is listed and not entered.
async function descend(walk: Walk, folder: Folder, { name, path }: Entry): Promise<void> {
  const parts = path.split('/')
  if (parts.length >= MAX_DEPTH || walk.listing.isCut) {
    walk.listing.isCut = true
    return
  }
  const inner = await openIn(folder, name, path).catch(() => undefined)
  if (inner === undefined) return
  try {
    await visit(walk, inner, parts)
  } finally {
    await inner.handle.close()
  }
}
