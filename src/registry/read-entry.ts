// One entry of a tools folder, whatever it turns out to be: a file's content, or in a few words why it has none.
// Nothing here waits: a FIFO that is opened as a file would, for as long as nobody writes to it.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'

/** Larger files are not read: whole, and at once, they would hold up all else. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

export type EntryContent =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** A link to a folder; folders themselves are told by their entry. */
  | { readonly kind: 'folder' }
  /** It went away since its folder was listed. */
  | { readonly kind: 'gone' }
  | EntryFault

export interface EntryFault {
  readonly kind: 'fault'
  readonly reason: string
  /** Whether there may be a file behind it, which cannot be read now. */
  readonly isThere: boolean
}

/** Ways in which a link leads nowhere. */
const NOWHERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

const isTooLarge = ({ size }: Stats) => size > MAX_FILE_BYTES

export function readEntry(path: string, { isLink }: { isLink: boolean }): EntryContent {
  try {
    // Looked at before it is opened: that alone may do something to a device.
    const stats = statSync(path)
    if (stats.isDirectory()) return { kind: 'folder' }
    return stats.isFile() && !isTooLarge(stats) ? readOpened(path) : faultOf(stats)
  } catch (error) {
    return explain(error, isLink)
  }
}

function readOpened(path: string): EntryContent {
  // It may be another by now.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || isTooLarge(stats)) return faultOf(stats)
    return { kind: 'file', bytes: readFileSync(descriptor) }
  } finally {
    closeSync(descriptor)
  }
}

function faultOf(stats: Stats): EntryFault {
  if (!stats.isFile()) return { kind: 'fault', reason: `is ${kindOf(stats)}, not a file`, isThere: false }
  return { kind: 'fault', reason: `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`, isThere: true }
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isDirectory() ? 'a folder' : 'a device'
}

function explain(error: unknown, isLink: boolean): EntryContent {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!NOWHERE.has(code)) return { kind: 'fault', reason: shortReason(error), isThere: true }
  if (isLink) return { kind: 'fault', reason: `is a link that leads nowhere (${shortReason(error)})`, isThere: false }
  return code === 'ENOENT' ? { kind: 'gone' } : { kind: 'fault', reason: shortReason(error), isThere: false }
}

/** What an error of the file system says, without the path. */
export function shortReason(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(', ', 1)
  return reason
}
