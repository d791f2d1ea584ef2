// The head of what a command writes. The rest is read and dropped, so that the command goes on, and counted.
import type { Readable } from 'node:stream'

/** Of each of stdout and stderr. */
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
    // A pipe that breaks has ended, no more.
    stream.on('error', () => {})
  }

  get droppedBytes(): number {
    return Math.max(this.#bytes - MAX_BYTES, 0)
  }

  /** What was kept; bytes that are no UTF-8 are shown as U+FFFD, a character that was cut in two is left out. */
  text(): string {
    const kept = this.#kept?.subarray(0, this.#bytes)
    return new TextDecoder('utf-8').decode(kept, { stream: this.droppedBytes > 0 })
  }

  // Into one buffer: a command that writes byte by byte would cost an object for each.
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
