// Reads the source of a file to its bytes: in the server, or in the process of an isolated tool.
import { addAbortSignal, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { type FileContent, isFilePiece, toBytes } from '../registry/file-content.ts'
import { FILE_BOUNDS } from '../state/files.ts'

/** @param refuse creates the error for a file that is too large, or whose stream cannot be read */
export async function readFile(
  { source, name }: FileContent,
  signal: AbortSignal,
  refuse: (text: string) => Error,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  const assertFits = (bytes: number) => {
    if (bytes > FILE_BOUNDS.maxFile) throw refuse(`the file ${name} is larger than ${inMiB(FILE_BOUNDS.maxFile)}`)
  }
  if (typeof source === 'string' || source instanceof Uint8Array) {
    const bytes = typeof source === 'string' ? Buffer.from(source) : source
    assertFits(bytes.byteLength)
    return bytes
  }
  if (isRead(source)) throw refuse(`the stream of the file ${name} was read before`)
  if (isIterator(source)) readIterators.add(source)
  const pieces = new Pieces()
  for await (const piece of toReadable(source instanceof Blob ? source.stream() : source, signal)) {
    if (!isFilePiece(piece)) throw refuse(`the stream of the file ${name} must give bytes or text`)
    pieces.add(piece)
    assertFits(pieces.bytes)
  }
  return pieces.concat()
}

export const inMiB = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

type Streamed = Exclude<FileContent['source'], string | Uint8Array>

/** Iterators that were read: a generator does not say so itself. */
const readIterators = new WeakSet<object>()

const isIterator = (source: object): boolean => 'next' in source && typeof source.next === 'function'

/** Whether the stream would give less than its whole content. */
function isRead(source: Streamed): boolean {
  if (source instanceof Readable) return source.readableDidRead
  if (source instanceof ReadableStream) return source.locked || Readable.isDisturbed(source as never)
  return readIterators.has(source)
}

/** A stream that destroys its source if it is not read to its end, or if the call ends. */
function toReadable(source: Streamed, signal: AbortSignal): AsyncIterable<unknown> {
  if (source instanceof Readable) return addAbortSignal(signal, source)
  if (source instanceof ReadableStream) return Readable.fromWeb(source as WebStream, { signal })
  return Readable.from(source as Iterable<unknown>, { signal })
}

const HIGH_SURROGATE = /[\ud800-\udbff]$/

/** The pieces of a stream so far, as bytes. */
class Pieces {
  bytes = 0
  readonly #pieces: Uint8Array[] = []
  /** The first bytes of a character that continues in the next text. */
  #half = ''

  add(piece: string | ArrayBufferView | ArrayBuffer): void {
    if (typeof piece === 'string') this.#addText(this.#half + piece)
    else this.#push(this.#endText(), toBytes(piece))
  }

  concat(): Uint8Array {
    this.#push(this.#endText())
    return Buffer.concat(this.#pieces)
  }

  #addText(text: string): void {
    this.#half = HIGH_SURROGATE.exec(text)?.[0] ?? ''
    this.#push(Buffer.from(text.slice(0, text.length - this.#half.length)))
  }

  /** The text ends here, so an incomplete character stays incomplete. */
  #endText(): Uint8Array {
    const rest = Buffer.from(this.#half)
    this.#half = ''
    return rest
  }

  #push(...pieces: readonly Uint8Array[]): void {
    this.#pieces.push(...pieces)
    for (const { byteLength } of pieces) this.bytes += byteLength
  }
}
