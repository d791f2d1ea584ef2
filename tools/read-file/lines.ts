// Reads lines of a text from any position, in one pass and within a bound.
import type { FileHandle } from 'node:fs/promises'
import { ToolError } from 'toolrack'
import { chunksOf } from '../_files/bytes.ts'
import { decoderOf, type Encoding } from '../_files/kind.ts'

/** Text in one result, bytes at most. */
export const MAX_TEXT_BYTES = 256 * 1024
const MAX_SCANNED_BYTES = 64 * 1024 * 1024

export interface Wanted {
  readonly startLine: number
  /** Default: as many as fit. */
  readonly lines?: number | undefined
}

export interface Lines {
  readonly text: string
  readonly lines: number
  /** Offset at which the text continues, bytes; undefined at its end. */
  readonly nextOffset?: number
  /** Undefined at the end of the text, and within a line that is too long for one result. */
  readonly nextLine?: number
  /** Known once the end of the text was reached. */
  readonly totalLines?: number
}

interface Kept {
  text: string
  bytes: number
  /** Bytes and characters up to the end of the last whole line. */
  whole: { bytes: number; length: number }
  lines: number
}

/** The part that is skipped: its whole lines, and its bytes including the byte order mark. */
interface Before {
  lines: number
  bytes: number
  /** True if it ends with the end of a line. */
  isWhole: boolean
}

/** @throws TypeError if the encoding is another after all; ToolError if there is no such line */
export async function readLines(
  handle: FileHandle,
  encoding: Encoding,
  { startLine, lines = Number.POSITIVE_INFINITY, signal }: Wanted & { signal: AbortSignal },
): Promise<Lines> {
  const kept: Kept = { text: '', bytes: 0, whole: { bytes: 0, length: 0 }, lines: 0 }
  const before: Before = { lines: 0, bytes: encoding.mark, isWhole: true }
  for await (const text of textOf(handle, encoding, signal)) {
    const from = skip(before, text, startLine - 1)
    if (from > 0) before.bytes += bytesOf(text.slice(0, from), encoding)
    if (before.bytes > MAX_SCANNED_BYTES) throw tooFar()
    for (const piece of split(text, from)) {
      const bytes = bytesOf(piece, encoding)
      if (kept.lines >= lines || kept.bytes + bytes > MAX_TEXT_BYTES)
        return cut(kept, piece, { startLine, skipped: before.bytes, encoding })
      keep(kept, piece, bytes)
    }
  }
  const hasRest = kept.text.length > kept.whole.length
  const count = kept.lines + (hasRest ? 1 : 0)
  if (count === 0 && startLine > 1) throw noSuchLine(startLine, before.lines + (before.isWhole ? 0 : 1))
  return { text: kept.text, lines: count, totalLines: startLine - 1 + count }
}

/** Skips lines without a string for each. @returns where in the text the wanted line begins */
function skip(before: Before, text: string, count: number): number {
  let from = 0
  while (before.lines < count && from < text.length) {
    const newline = text.indexOf('\n', from)
    before.isWhole = newline >= 0
    if (newline < 0) return text.length
    before.lines++
    from = newline + 1
  }
  return from
}

function keep(kept: Kept, piece: string, bytes: number): void {
  kept.text += piece
  kept.bytes += bytes
  if (!piece.endsWith('\n')) return
  kept.lines++
  kept.whole = { bytes: kept.bytes, length: kept.text.length }
}

// Cuts at the end of a line, unless the first line alone is too long.
function cut(
  { text, bytes, whole, lines }: Kept,
  piece: string,
  { startLine, skipped, encoding }: { startLine: number; skipped: number; encoding: Encoding },
): Lines {
  if (lines > 0) {
    return { text: text.slice(0, whole.length), lines, nextLine: startLine + lines, nextOffset: skipped + whole.bytes }
  }
  const room = Math.floor((MAX_TEXT_BYTES - bytes) / 3)
  const more = piece.slice(0, room).replace(/[\ud800-\udbff]$/, '')
  return { text: text + more, lines: 1, nextOffset: skipped + bytes + bytesOf(more, encoding) }
}

async function* textOf(handle: FileHandle, encoding: Encoding, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = decoderOf(encoding)
  for await (const chunk of chunksOf(handle, signal)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Yields pieces of the text, each with at most one line end, which is at its own end. */
function* split(text: string, start: number): Generator<string> {
  for (let from = start; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline + 1
    yield text.slice(from, to)
    from = to
  }
}

function bytesOf(text: string, { name }: Encoding): number {
  return name === 'utf-8' ? Buffer.byteLength(text) : text.length * 2
}

function noSuchLine(startLine: number, lines: number): ToolError {
  return new ToolError(`The file has ${lines} lines, and so no line ${startLine}. Pass a smaller startLine.`)
}

function tooFar(): ToolError {
  return new ToolError(
    `The line is more than ${MAX_SCANNED_BYTES} bytes away. Pass offset and length, in bytes, instead.`,
  )
}
