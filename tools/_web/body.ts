// Reads a response body, and bounds its bytes while it is decompressed.
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { ToolError } from 'toolrack'

/** Accepted encodings. Not deflate: servers send two formats under that name. */
export const ENCODINGS = 'gzip, br'

export interface BodyBounds {
  /** Bytes after decompression. */
  readonly maxBytes: number
  /** If true, a longer body is cut at the bound; otherwise it is refused. */
  readonly isCut?: boolean
}

/** @throws ToolError past the bound, or for an encoding that was not requested */
export async function readBody(body: Readable, encoding: string, bounds: BodyBounds): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop destroys the stream and its source.
  for await (const chunk of unpacked(body, encoding)) {
    bytes += chunk.byteLength
    chunks.push(chunk)
    if (bytes > bounds.maxBytes) break
  }
  if (bytes > bounds.maxBytes && bounds.isCut !== true) throw tooLarge(bounds.maxBytes)
  return Buffer.concat(chunks).subarray(0, bounds.maxBytes)
}

function unpacked(body: Readable, encoding: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  const unpack = decoder(name)
  // The reader of the last stream receives the error.
  return pipeline(body, unpack, () => {})
}

function decoder(name: string) {
  if (name === 'br') return createBrotliDecompress()
  if (name === 'gzip' || name === 'x-gzip' || name === 'deflate') return createUnzip()
  throw new ToolError(
    `The answer is packed as ${JSON.stringify(name.slice(0, 100))}, which cannot be read here. Use another source.`,
  )
}

function tooLarge(maxBytes: number): ToolError {
  const size = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 1024} KiB`
  return new ToolError(`The answer is larger than ${size}, and was not read to its end. Ask for something smaller.`)
}
