// A file that a tool returns: small ones are embedded, large ones become a link for the caller.
import type { Readable } from 'node:stream'
import { types } from 'node:util'
import { isObject } from '../protocol/messages.ts'

/** A part of a stream. */
type FilePiece = string | ArrayBufferView | ArrayBuffer

/** Bytes, a text, or a stream of either. */
export type FileSource = FilePiece | Blob | AsyncIterable<FilePiece> | Iterable<FilePiece>

/** How a file is called, and how it is sent. */
export interface FileOptions {
  /** As it is shown, such as `report.pdf`. Slashes are not part of it. */
  readonly name: string
  /** Default: `application/octet-stream`, or `text/plain` for a text. */
  readonly mimeType?: string
  /** `link`: a link to a resource, however small it is. Default: embedded up to 64 KiB. */
  readonly as?: 'link'
}

const FILE = Symbol.for('toolrack.file')

/** The error for a file in any other place. */
export const MISPLACED_FILE =
  "is a file: return it alone, or among blocks: text('see'); with an outputSchema, in { content, structuredContent }"

/**
 * What `file` returns.
 * Not a plain object, which would be sent as JSON if it stood in a wrong place.
 */
export class FileContent {
  readonly [FILE] = true
  readonly source: Exclude<FileSource, ArrayBufferView | ArrayBuffer> | Uint8Array
  readonly name: string
  readonly mimeType: string
  readonly isLink: boolean

  constructor(source: FileSource, { name, mimeType, isLink }: Pick<FileContent, 'name' | 'mimeType' | 'isLink'>) {
    this.source = isBytes(source) ? toBytes(source) : source
    // The stream may fail before it is read; its reader gets that error.
    if (isNodeStream(source)) source.on('error', () => {})
    this.name = name
    this.mimeType = mimeType
    this.isLink = isLink
    Object.freeze(this)
  }

  toJSON(): never {
    throw new TypeError(`${this.name} ${MISPLACED_FILE}`)
  }
}

const isBytes = (value: unknown): value is ArrayBufferView | ArrayBuffer =>
  types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value)

export const isFilePiece = (value: unknown): value is FilePiece => typeof value === 'string' || isBytes(value)

/**
 * Copies the bytes: a handler may reuse its buffer, and a part must not keep the whole buffer alive.
 */
export function toBytes(source: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (!ArrayBuffer.isView(source)) return new Uint8Array(source.slice())
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
}

const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w-]+=[\w."-]+)*$/
const MAX_NAME = 255

/**
 * Makes a file of a result, or of a block of one. Up to 64 KiB it is embedded; else, or with
 * `as: 'link'`, it is a link to a resource that only its caller can read, for an hour; at most 16
 * MiB. Bytes are copied.
 *
 * @throws TypeError if the name or the MIME type is invalid; it destroys the stream then
 */
export function file(source: FileSource, options: FileOptions): FileContent {
  const { name, mimeType, as } = (options ?? {}) as Partial<FileOptions>
  const type = mimeType ?? (typeof source === 'string' ? 'text/plain' : 'application/octet-stream')
  const fault = as !== undefined && as !== 'link' ? `as must be 'link', or left out` : findFault(source, name, type)
  if (fault === undefined) return new FileContent(source, { name: name!, mimeType: type, isLink: as === 'link' })
  discardSource(source)
  throw new TypeError(`file: ${fault}`)
}

function findFault(source: unknown, name: unknown, mimeType: string): string | undefined {
  if (!isName(name)) return `name must be 1 to ${MAX_NAME} characters without slashes, such as 'report.pdf'`
  if (!MIME_TYPE.test(mimeType)) return "mimeType must be one, such as 'application/pdf'"
  const isWhole = !Array.isArray(source) || source.every(isFilePiece)
  return isSource(source) && isWhole ? undefined : 'give bytes, a text, a Blob or a stream of bytes or texts'
}

// A client that normalises the URI of the file would remove `.` and `..`.
function isName(name: unknown): name is string {
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME) return false
  return !/[/\\\p{Cc}]|^\.\.?$/u.test(name) && name.isWellFormed()
}

function isSource(source: unknown): source is FileSource {
  if (isFilePiece(source)) return true
  if (typeof source !== 'object' || source === null) return false
  return source instanceof Blob || Symbol.asyncIterator in source || Symbol.iterator in source
}

export const isFileContent = (value: unknown): value is FileContent =>
  typeof value === 'object' && value !== null && (value as Partial<FileContent>)[FILE] === true

/** Whether a handler returned a file: alone, in a list of blocks, or in the content of a result. */
export function hasFiles(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null) return false
  if (Array.isArray(returned)) return hasFileBlocks(returned)
  return (
    isFileContent(returned) ||
    (isObject(returned) && Array.isArray(returned['content']) && hasFiles(returned['content']))
  )
}

// By index, so that it stops at the first value that cannot be a block, such as a hole of an array.
function hasFileBlocks(blocks: readonly unknown[]): boolean {
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]
    if (isFileContent(block)) return true
    if (typeof block !== 'object' || block === null) return false
  }
  return false
}

type ToBlock = (file: FileContent) => Promise<unknown>

/** Replaces the files of a result. If one fails, the streams of all are destroyed. */
export async function mapFiles(returned: unknown, toBlock: ToBlock): Promise<unknown> {
  try {
    return await replaceFiles(returned, toBlock)
  } catch (error) {
    discardFiles(returned)
    throw error
  }
}

async function replaceFiles(returned: unknown, toBlock: ToBlock): Promise<unknown> {
  if (isFileContent(returned)) return toBlock(returned)
  if (!Array.isArray(returned)) {
    const whole = returned as { content: unknown[] }
    return { ...whole, content: await replaceFiles(whole.content, toBlock) }
  }
  const blocks: unknown[] = []
  // One after the other, so that only one file is in memory twice.
  for (const block of returned) blocks.push(isFileContent(block) ? await toBlock(block) : block)
  return blocks
}

/** Members of a result that are searched for files. */
const MAX_SEARCHED = 1000

/** Destroys the streams of an undelivered result, also of files in a wrong place. */
export function discardFiles(returned: unknown): void {
  let left = MAX_SEARCHED
  const search = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    if (isFileContent(value)) return discardSource(value.source)
    const members = Array.isArray(value) ? value.slice(0, MAX_SEARCHED) : Object.values(value)
    for (const member of members) if (left-- > 0) search(member)
  }
  try {
    search(returned)
  } catch {
    // A getter or a proxy of the tool threw; the result is not delivered anyway.
  }
}

// Streams of the package `readable-stream`, such as archives, are not instances of Node's `Readable`.
function isNodeStream(source: unknown): source is Readable {
  const { on, destroy } = (source ?? {}) as Partial<Readable>
  return typeof on === 'function' && typeof destroy === 'function'
}

function discardSource(source: unknown): void {
  if (source instanceof ReadableStream) void source.cancel().catch(() => {})
  if (!isNodeStream(source)) return
  // A file that cannot be opened emits its error later.
  source.on('error', () => {})
  source.destroy()
}
