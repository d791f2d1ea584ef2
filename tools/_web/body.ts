// A body, unpacked and counted as it comes, so that neither its length nor what it unpacks to can fill the memory.
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { ToolError } from 'toolrack'

/** What is asked for. Not deflate, which servers send in two ways that do not tell themselves apart. */
export const ENCODINGS = 'gzip, br'

export interface BodyBounds {
  /** Bytes after unpacking. */
  readonly maxBytes: number
  /** Whether what is longer ends there, rather than being refused. */
  readonly isCut?: boolean
}

/** @throws ToolError past the bounds, or where it is packed in a way that was not asked for */
export async function readBody(body: Readable, encoding: string, bounds: BodyBounds): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop closes the stream, and what feeds it.
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
  // The reader of the last stream sees the error.
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
