// Reads a file that an operator names, such as one of secrets: never more than a bound, and without
// waiting for a pipe that nobody writes to.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const CHUNK_BYTES = 64 * 1024

export interface BoundedFile {
  /** Without a byte order mark. One more than `maxBytes` shows that the file is larger. */
  readonly bytes: Buffer
  readonly stats: BigIntStats
}

/** @returns undefined for a folder and the like @throws an error of the file system */
export function readBoundedFile(path: string, maxBytes: number): BoundedFile | undefined {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor, { bigint: true })
    if (!stats.isFile()) return undefined
    return { bytes: dropMark(readUpTo(descriptor, maxBytes + 1 + MARK.length)).subarray(0, maxBytes + 1), stats }
  } finally {
    closeSync(descriptor)
  }
}

const MARK = Buffer.from('\ufeff')

/** Without the byte order mark that some editors write, and that no JSON may have. RFC 8259, 8.1. */
export const dropMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes

// The size does not tell: a file may grow meanwhile, and those of /proc have none.
function readUpTo(descriptor: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  for (let left = maxBytes; left > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES))
    const length = readSync(descriptor, chunk)
    if (length === 0) break
    chunks.push(chunk.subarray(0, length))
    left -= length
  }
  return Buffer.concat(chunks)
}
