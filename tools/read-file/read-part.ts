// Builds the result of read_file, by the kind of the file and the part that the caller asks for.
import { audio, embeddedResource, image, resourceLink, ToolError, text } from 'toolrack'
import { readBytes } from '../_files/bytes.ts'
import { codeOf } from '../_files/faults.ts'
import { HEAD_BYTES, type Kind, kindOf, UNKNOWN } from '../_files/kind.ts'
import type { OpenFile } from '../_files/open-file.ts'
import { uriOf } from '../_files/path.ts'
import { MAX_TEXT_BYTES, readLines } from './lines.ts'
import { MAX_RANGE_BYTES, readRange } from './range.ts'
import { MAX_WHOLE_BYTES } from './read-whole.ts'

const MAX_MEDIA_BYTES = 2 * 1024 * 1024
const MAX_EMBEDDED_BYTES = 64 * 1024

export interface Part {
  readonly startLine?: number | undefined
  readonly lines?: number | undefined
  readonly offset?: number | undefined
  readonly length?: number | undefined
}

type Named = OpenFile & { readonly path: string }

/** @throws ToolError if the file has no such part */
export async function readPart(file: Named, part: Part, signal: AbortSignal) {
  const isByLine = part.startLine !== undefined || part.lines !== undefined
  const isByByte = part.offset !== undefined || part.length !== undefined
  if (isByLine && isByByte) throw new ToolError('Pass either startLine and lines, or offset and length.')
  const kind = await kindOf(await readBytes(file.handle, 0, Math.min(HEAD_BYTES, file.stats.size)))
  if (isByByte) return await bytesOf(file, kind, part)
  const lines = kind.type === 'text' ? await linesOf(file, kind, { ...part, signal }) : undefined
  if (lines !== undefined) return lines
  if (isByLine) throw new ToolError('The file is not text, so it has no lines. Pass offset and length, or neither.')
  return await wholeOf(file, kind.type === 'text' ? { type: 'other', mimeType: UNKNOWN } : kind)
}

function told({ path, stats }: Named, { mimeType }: { mimeType: string }) {
  return { path, mimeType, size: stats.size, modified: stats.mtime.toISOString() }
}

/** Empty if the resource would refuse the file. */
function linksTo({ path, stats: { size } }: Named, { mimeType }: { mimeType: string }) {
  if (size > MAX_WHOLE_BYTES) return []
  return [resourceLink({ uri: uriOf(path), name: path.split('/').at(-1)!, mimeType, size })]
}

/** @returns undefined if the file is no text after all */
async function linesOf(file: Named, kind: Kind & { type: 'text' }, part: Part & { signal: AbortSignal }) {
  const { startLine = 1 } = part
  const found = await readLines(file.handle, kind.encoding, { ...part, startLine }).catch(error => {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return undefined
    throw error
  })
  if (found === undefined) return undefined
  const { text: shown, ...where } = found
  const isComplete = startLine === 1 && where.totalLines !== undefined
  const content = [text(shown), ...(isComplete ? [] : [text(noteOf({ startLine, ...where }))])]
  return {
    content: file.stats.size > MAX_TEXT_BYTES ? [...content, ...linksTo(file, kind)] : content,
    structuredContent: { ...told(file, kind), startLine, ...where, isComplete },
  }
}

interface Where {
  startLine: number
  lines: number
  nextLine?: number
  nextOffset?: number
}

function noteOf({ startLine, lines, nextLine, nextOffset }: Where): string {
  const shown = `[Lines ${startLine} to ${startLine + lines - 1}`
  if (nextLine !== undefined) return `${shown}. There are more: go on with startLine ${nextLine}.]`
  if (nextOffset === undefined) return `${shown}, which is the last.]`
  return `[Line ${startLine} is longer than this: go on with offset ${nextOffset}.]`
}

async function bytesOf(file: Named, kind: Kind, { offset = 0, length = MAX_RANGE_BYTES }: Part) {
  const { size } = file.stats
  const range = await readRange(file.handle, kind, { offset, length, size })
  const { bytes, nextOffset } = range
  const mimeType = range.text === undefined ? UNKNOWN : kind.mimeType
  const block =
    range.text === undefined ? embeddedResource({ uri: uriOf(file.path), mimeType, blob: bytes }) : text(range.text)
  const more = nextOffset === undefined ? 'They are the last' : `There are more: go on with offset ${nextOffset}`
  const where = { offset: range.offset, length: bytes.length, ...(nextOffset !== undefined && { nextOffset }) }
  return {
    content: [block, text(`[${bytes.length} bytes from ${range.offset} of ${size}. ${more}.]`)],
    structuredContent: { ...told(file, kind), ...where, isComplete: bytes.length === size },
  }
}

async function wholeOf(file: Named, kind: Kind & { type: 'image' | 'audio' | 'other' }) {
  const { handle, stats } = file
  const isShown = stats.size <= (kind.type === 'other' ? MAX_EMBEDDED_BYTES : MAX_MEDIA_BYTES)
  const structuredContent = { ...told(file, kind), isComplete: isShown }
  if (isShown) return { content: [blockOf(file, kind, await readBytes(handle, 0, stats.size))], structuredContent }
  const links = linksTo(file, kind)
  const ways = `read ${links.length > 0 ? 'the link, or ' : ''}parts by offset and length`
  const note = `${stats.size} bytes of ${kind.mimeType} are too much for one answer: ${ways}.`
  return { content: [text(note), ...links], structuredContent }
}

function blockOf({ path }: Named, { type, mimeType }: Kind, bytes: Buffer) {
  if (type === 'image') return image(bytes, mimeType)
  if (type === 'audio') return audio(bytes, mimeType)
  return embeddedResource({ uri: uriOf(path), mimeType, blob: bytes })
}
