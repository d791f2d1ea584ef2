// Where the CSV comes from: a text, or a file that is certainly within FILES_DIR, whatever its path says.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from 'toolrack'

/** Largest file, in bytes. */
export const MAX_BYTES = 50_000_000
// Parsing a chunk is work without a pause, so it is kept short.
const CHUNK_BYTES = 16 * 1024

export interface Source {
  readonly bytes: number
  /** Its beginning, which tells what separates the fields. */
  readonly head: Buffer
  readonly chunks: AsyncIterable<Buffer>
  close(): Promise<void>
}

export function openText(csv: string): Source {
  const all = Buffer.from(csv)
  async function* chunks() {
    for (let start = 0; start < all.length; start += CHUNK_BYTES) {
      yield all.subarray(start, start + CHUNK_BYTES)
      // Others get their turn here.
      await setImmediate()
    }
  }
  return { bytes: all.length, head: all.subarray(0, CHUNK_BYTES), chunks: chunks(), async close() {} }
}

/** @throws ToolError where it is no regular file within FILES_DIR, or too large */
export async function openFile(filepath: string): Promise<Source> {
  const root = await filesDir()
  const path = await pathWithin(root, filepath)
  // O_NONBLOCK: opening a FIFO that was put there since would hang. O_NOFOLLOW: nor may it be a link by now.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch(() => {
    throw notThere(filepath)
  })
  try {
    const { size } = await statWithin(root, path, handle, filepath)
    if (size > MAX_BYTES) throw tooLarge(MAX_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, 0)
    const chunks = handle.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false })
    return { bytes: size, head: buffer.subarray(0, bytesRead), chunks, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function filesDir(): Promise<string> {
  const folder = process.env['FILES_DIR']
  if (!folder)
    throw new ToolError('This server has no files folder: FILES_DIR is not set. Pass the text as csv instead.')
  return realpath(folder).catch(() => {
    throw new ToolError('The folder that FILES_DIR names cannot be read. Tell the operator, or pass the text as csv.')
  })
}

async function pathWithin(root: string, filepath: string): Promise<string> {
  const parts = filepath.split('/')
  const isPlain = parts.every(part => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part))
  if (!isPlain) throw refused(filepath)
  let path = root
  for (const part of parts) {
    path = join(path, part)
    const found = await lstat(path).catch(() => {
      throw notThere(filepath)
    })
    if (found.isSymbolicLink()) throw refused(filepath)
  }
  return path
}

// What was checked by name may have been swapped since, so what counts is the file that is open now.
async function statWithin(root: string, path: string, handle: FileHandle, filepath: string) {
  const stats = await handle.stat()
  if (!stats.isFile()) throw new ToolError(`${JSON.stringify(filepath)} is not a regular file. Name a CSV file.`)
  // A second name may be anywhere.
  if (stats.nlink > 1) throw refused(filepath)
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpathOf(path, stats))
  if (real === undefined || !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw refused(filepath)
  return stats
}

/** For systems without /proc: the real path, if it still leads to the very same file. */
async function realpathOf(path: string, { dev, ino }: { dev: number; ino: number }): Promise<string | undefined> {
  const real = await realpath(path)
  const now = await stat(real)
  return now.dev === dev && now.ino === ino ? real : undefined
}

function refused(filepath: string): ToolError {
  return new ToolError(
    `${JSON.stringify(filepath)} is refused. Use a path relative to the files folder, such as "sales/2026.csv": ` +
      'without "..", backslashes or links.',
  )
}

function notThere(filepath: string): ToolError {
  return new ToolError(`There is no readable file ${JSON.stringify(filepath)} in the files folder. Check its name.`)
}

export function tooLarge(maxBytes: number): ToolError {
  return new ToolError(`The file is larger than ${maxBytes / 1_000_000} MB. Name a smaller one, such as a part of it.`)
}
