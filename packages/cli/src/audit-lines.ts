// The lines of a stream as bytes, in bounded memory. Bytes, because hashes are of the exact bytes.
import type { Readable } from 'node:stream'

/** Longer lines are not records: a record has some 10 KiB, at most 1 MiB with scopes of a key. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const LINE_FEED = 10

export interface Line {
  /** The line without its line feed; undefined if it is too long. */
  readonly bytes: Buffer | undefined
  /** False for the end of a file without a line feed. */
  readonly isWhole: boolean
}

/** Yields the lines of each chunk. */
export async function* readLines(stream: Readable): AsyncGenerator<readonly Line[]> {
  let rest: Buffer[] = []
  let restBytes = 0
  const takeRest = (isWhole: boolean): Line => {
    const bytes = restBytes > MAX_LINE_BYTES ? undefined : Buffer.concat(rest)
    rest = []
    restBytes = 0
    return { bytes, isWhole }
  }
  const keep = (part: Buffer) => {
    restBytes += part.length
    if (restBytes > MAX_LINE_BYTES) rest = []
    else rest.push(part)
  }
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end))
      lines.push(takeRest(true))
      start = end + 1
    }
    if (start < chunk.length) keep(chunk.subarray(start))
    yield lines
  }
  if (restBytes > 0) yield [takeRest(false)]
}
