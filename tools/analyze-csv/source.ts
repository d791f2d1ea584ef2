// Opens the source of the CSV: a text, or a file within FILES_DIR.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from 'toolrack'
import { readBytes } from '../_files/bytes.ts'
import { openFile as openWithin } from '../_files/open-file.ts'

/** Largest file, bytes. */
export const MAX_BYTES = 50_000_000
// Small, because parsing a chunk blocks the event loop.
const CHUNK_BYTES = 16 * 1024

export interface Source {
  readonly bytes: number
  /** The beginning, from which the delimiter is detected. */
  readonly head: Buffer
  readonly chunks: AsyncIterable<Buffer>
  close(): Promise<void>
}

export function openText(csv: string): Source {
  const all = Buffer.from(csv)
  async function* chunks() {
    for (let start = 0; start < all.length; start += CHUNK_BYTES) {
      yield all.subarray(start, start + CHUNK_BYTES)
      // Lets other requests run.
      await setImmediate()
    }
  }
  return { bytes: all.length, head: all.subarray(0, CHUNK_BYTES), chunks: chunks(), async close() {} }
}

/** @throws ToolError if it is no regular file within FILES_DIR, or too large */
export async function openFile(filepath: string): Promise<Source> {
  if (!process.env['FILES_DIR']) {
    throw new ToolError('This server has no files folder: FILES_DIR is not set. Pass the text as csv instead.')
  }
  const { handle, stats } = await openWithin(filepath)
  try {
    if (stats.size > MAX_BYTES) throw tooLarge(MAX_BYTES)
    const head = await readBytes(handle, 0, CHUNK_BYTES)
    const chunks = handle.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false })
    return { bytes: stats.size, head, chunks, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

export function tooLarge(maxBytes: number): ToolError {
  return new ToolError(`The file is larger than ${maxBytes / 1_000_000} MB. Name a smaller one, such as a part of it.`)
}
