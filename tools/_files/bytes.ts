// Reads bytes of an open file by position, independently of earlier reads.
import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 64 * 1024

/** Returns fewer bytes if the file ends earlier. */
export async function readBytes(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

export async function* chunksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let offset = 0; ; ) {
    signal.throwIfAborted()
    const chunk = await readBytes(handle, offset, CHUNK_BYTES)
    if (chunk.length > 0) yield chunk
    if (chunk.length < CHUNK_BYTES) return
    offset += chunk.length
  }
}
