// Reads a range of bytes: as text if possible, without partial characters at both ends.
import type { FileHandle } from 'node:fs/promises'
import { ToolError } from 'toolrack'
import { readBytes } from '../_files/bytes.ts'
import { decoderOf, type Encoding, type Kind } from '../_files/kind.ts'

/** Largest range, bytes. */
export const MAX_RANGE_BYTES = 256 * 1024

export interface Range {
  readonly offset: number
  readonly bytes: Buffer
  readonly text: string | undefined
  /** Undefined at the end of the file. */
  readonly nextOffset?: number
}

/** @throws ToolError if the file is shorter */
export async function readRange(
  handle: FileHandle,
  kind: Kind,
  { offset, length, size }: { offset: number; length: number; size: number },
): Promise<Range> {
  if (offset >= size && offset > 0) throw new ToolError(`The file has ${size} bytes. Pass a smaller offset.`)
  const bytes = await readBytes(handle, offset, length)
  const whole = kind.type === 'text' ? wholeCharacters(bytes, offset, kind.encoding) : undefined
  const range = whole ?? { offset, bytes, text: undefined }
  const next = range.offset + range.bytes.length
  return next < size && range.bytes.length > 0 ? { ...range, nextOffset: next } : range
}

function wholeCharacters(bytes: Buffer, offset: number, encoding: Encoding): Range | undefined {
  const [start, end] = encoding.name === 'utf-8' ? boundsOf(bytes) : unitsOf(bytes, offset, encoding)
  const inner = bytes.subarray(start, end)
  if (inner.length === 0 && bytes.length > 0) return undefined
  try {
    return { offset: offset + start, bytes: inner, text: decoderOf(encoding).decode(inner) }
  } catch {
    return undefined
  }
}

const isWithin = (byte: number) => (byte & 0xc0) === 0x80
const lengthOf = (byte: number) => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)

function boundsOf(bytes: Buffer): [start: number, end: number] {
  let start = 0
  while (start < 3 && start < bytes.length && isWithin(bytes[start]!)) start++
  let last = bytes.length - 1
  while (last > start && last > bytes.length - 4 && isWithin(bytes[last]!)) last--
  const isWhole = last < 0 || last + lengthOf(bytes[last]!) <= bytes.length
  return [start, isWhole ? bytes.length : last]
}

// Two bytes per unit, and no half of a surrogate pair at either end.
function unitsOf(bytes: Buffer, offset: number, { name }: Encoding): [start: number, end: number] {
  const high = name === 'utf-16le' ? 1 : 0
  let start = offset % 2
  let end = bytes.length - ((bytes.length - start) % 2)
  if (end - start >= 2 && (bytes[start + high]! & 0xfc) === 0xdc) start += 2
  if (end - start >= 2 && (bytes[end - 2 + high]! & 0xfc) === 0xd8) end -= 2
  return [start, end]
}
