// Where the CSV comes from: a text, or a file within FILES_DIR.
import { setImmediate } from 'node:timers/promises'
import { ToolError } from 'toolrack'
import { readBytes } from '../_files/bytes.ts'
import { openFile as openWithin } from '../_files/open-file.ts'

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
