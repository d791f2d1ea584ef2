// Keeps the beginning of a program's output. It reads and counts the rest and drops it, so that the
// program does not block.
import type { Readable } from 'node:stream'

/** Bytes kept of each of stdout and stderr. */
export const MAX_BYTES = 256 * 1024
const MAX_TAIL_BYTES = 1024
const MAX_LINE = 200

export class Capture {
  #kept: Buffer | undefined
  #bytes = 0

  constructor(stream: Readable, onData: (bytes: number, lastLine: string) => void) {
    stream.on('data', (chunk: Buffer) => {
      this.#keep(chunk)
      onData(chunk.length, lastLineOf(chunk))
    })
    // A broken pipe only means that the stream has ended.
    stream.on('error', () => {})
  }

  get droppedBytes(): number {
    return Math.max(this.#bytes - MAX_BYTES, 0)
  }

  /** The kept output. Invalid UTF-8 becomes U+FFFD; a character cut at the end is left out. */
  text(): string {
    const kept = this.#kept?.subarray(0, this.#bytes)
    return new TextDecoder('utf-8').decode(kept, { stream: this.droppedBytes > 0 })
  }

  // One buffer: in a list of chunks, a program that writes single bytes would cost an object each.
  #keep(chunk: Buffer): void {
    if (this.#bytes < MAX_BYTES) {
      this.#kept ??= Buffer.alloc(MAX_BYTES)
      chunk.copy(this.#kept, this.#bytes)
    }
    this.#bytes += chunk.length
  }
}

function lastLineOf(chunk: Buffer): string {
  const lines = chunk.toString('utf8', Math.max(chunk.length - MAX_TAIL_BYTES, 0)).split(/[\r\n]+/)
  const last = lines.findLast(line => line.trim() !== '') ?? ''
  return last.slice(0, MAX_LINE).toWellFormed()
}
