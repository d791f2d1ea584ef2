// Turns bytes into lines. Of a line that is too long, it keeps just enough that its reader notices.
import { Buffer } from 'node:buffer'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

export class LineReader {
  readonly #onLine: (line: Buffer) => void
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0

  /** @param onLine gets each line that is not blank; a line over `maxBytes` is cut to one byte more */
  constructor(onLine: (line: Buffer) => void, maxBytes: number) {
    this.#onLine = onLine
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at))
      this.#emit()
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
  }

  /** The last line may lack its line feed. */
  end(): void {
    this.#emit()
  }

  #keep(part: Buffer): void {
    const room = this.#maxBytes + 1 - this.#bytes
    if (part.length === 0 || room <= 0) return
    const kept = part.subarray(0, room)
    this.#parts.push(kept)
    this.#bytes += kept.length
  }

  #emit(): void {
    const line = withoutReturn(this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts))
    this.#parts = []
    this.#bytes = 0
    if (line.some(byte => byte > 0x20)) this.#onLine(line)
  }
}

/** Windows ends lines with two bytes. */
const withoutReturn = (line: Buffer) => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line)
