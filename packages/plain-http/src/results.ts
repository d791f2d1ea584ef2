// Sends the result of a call as JSON, as text, or as the bytes of a file, by the client's `Accept`.
// RFC 9110, 12.5.1.
import Negotiator from 'negotiator'
import type { CallToolResult, ContentBlock, JsonObject } from 'toolrack'
import { McpError } from 'toolrack/door'
import { type BlockFile, isObject, toFile } from 'toolrack/protocol'
import { type ResultJsonOptions, toResultJson, toResultText } from './plain-result.ts'
import { parseWritten } from './written-json.ts'

export const JSON_MEDIA = 'application/json'
// With the charset, since Fastify would otherwise append it to each reply.
export const JSON_TYPE = `${JSON_MEDIA}; charset=utf-8`
const TEXT_MEDIA = 'text/plain'
const EVENTS_MEDIA = 'text/event-stream'
const ANY_FILE = 'application/octet-stream'

/** A file of a result. A kept file is read by its URI. */
export type ResultFile = { readonly mimeType: string; readonly name: string } & (
  | { readonly bytes: Buffer }
  | { readonly uri: string }
)

export type Representation =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: ResultFile }

/** Whether the client names event streams, and prefers them to JSON. */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/event-stream/i.test(accept)) return false
  return negotiate(accept, [JSON_MEDIA, EVENTS_MEDIA]) === EVENTS_MEDIA
}

export interface ResultOptions extends Pick<ResultJsonOptions, 'isJsonText'> {
  /** The URL of a kept file, which the JSON adds to its URI. */
  readonly toFileUrl: (uri: string) => string | undefined
}

/**
 * @throws McpError NOT_ACCEPTABLE (406) with `data.available`, and with the result as JSON, because
 *   the action of the tool may be impossible to repeat
 */
export function chooseRepresentation(
  result: CallToolResult,
  accept: string | undefined,
  options: ResultOptions,
): Representation {
  const text = toResultText(result)
  const files = listFiles(result, uri => options.toFileUrl(uri) !== undefined)
  const available = [
    JSON_MEDIA,
    ...(text === undefined ? [] : [TEXT_MEDIA]),
    ...files.map(({ mimeType }) => toBareType(mimeType)),
    ...(files.length > 0 ? [ANY_FILE] : []),
  ]
  const chosen = negotiate(accept, available)
  if (chosen === undefined) throw createNotAcceptable(available, { result: parseWritten(toJson(result, options)) })
  if (chosen === JSON_MEDIA) return { kind: 'json', json: toJson(result, options) }
  if (chosen === TEXT_MEDIA && text !== undefined) return { kind: 'text', text }
  const file = files.find(({ mimeType }) => toBareType(mimeType) === chosen) ?? files[0]!
  return { kind: 'file', file }
}

/** The whole result as JSON. */
export function toJson(result: CallToolResult, { toFileUrl, isJsonText }: ResultOptions): string {
  const toOutput = (block: ContentBlock) => {
    const url = block.type === 'resource_link' ? toFileUrl(block.uri) : undefined
    return url === undefined ? block : { ...block, url }
  }
  return toResultJson(result, { toOutput, isJsonText })
}

/** @throws McpError NOT_ACCEPTABLE (406) */
export function assertAccepts(accept: string | undefined, type: string): void {
  if (negotiate(accept, [type]) === undefined) throw createNotAcceptable([type])
}

/**
 * Only a result shows which types it has. But a client that accepts nothing is refused earlier.
 *
 * @throws McpError NOT_ACCEPTABLE (406) before the tool runs
 */
export function assertAcceptsAny(accept: string | undefined): void {
  if (negotiate(accept) === undefined) throw createNotAcceptable([JSON_MEDIA, TEXT_MEDIA, EVENTS_MEDIA])
}

function createNotAcceptable(types: readonly string[], more: JsonObject = {}): McpError {
  const available = [...new Set(types)]
  return new McpError('NOT_ACCEPTABLE', `there is ${available.join(', ')}`, { data: { available, ...more } })
}

/** The type that the client prefers; without types, the range that it names first. */
function negotiate(accept: string | undefined, types?: readonly string[]): string | undefined {
  // Ignores the charset, since all texts are UTF-8. An empty header states no preference.
  const header = accept?.trim() ? accept.replace(/;\s*charset\s*=\s*"?utf-8"?/gi, '') : undefined
  return new Negotiator({ headers: { accept: header } }).mediaTypes(types && [...new Set(types)])[0]
}

function listFiles({ content }: CallToolResult, isKept: (uri: string) => boolean): ResultFile[] {
  return content.flatMap((block): ResultFile[] => {
    const file = toFile(block)
    if (file !== undefined) return [toNamedFile(file, `${block.type}.${toExtension(file.mimeType)}`)]
    if (block.type !== 'resource_link' || !isKept(block.uri)) return []
    return [{ mimeType: block.mimeType ?? ANY_FILE, name: block.name, uri: block.uri }]
  })
}

/** @param unnamed name of a file without a URI */
export const toNamedFile = ({ uri, mimeType, bytes }: BlockFile, unnamed = 'file'): ResultFile & { bytes: Buffer } => ({
  mimeType,
  name: uri === undefined ? unnamed : readFileName(uri),
  bytes,
})

function readFileName(uri: string): string {
  const last = uri.slice(uri.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last) || 'file'
  } catch {
    return last
  }
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w-]+=[\w."-]+)*$/

/**
 * For the header. Anything but a media type becomes bytes of unknown type, so that a tool cannot
 * split the header.
 */
export const toContentType = (mimeType: string): string => (MEDIA_TYPE.test(mimeType) ? mimeType : ANY_FILE)

const toBareType = (mimeType: string) => toContentType(mimeType).split(';', 1)[0]!.trim().toLowerCase()

const toExtension = (mimeType: string) => /\/(?:x-)?([a-z0-9]+)/.exec(toBareType(mimeType))?.[1] ?? 'bin'

/** The kept files that a result links, for clients that asked for another part of it. */
export const listLinks = ({ content }: CallToolResult): readonly string[] =>
  content.flatMap(block => (block.type === 'resource_link' ? [block.uri] : []))

export const isToolResult = (value: unknown): value is CallToolResult & JsonObject =>
  isObject(value) && Array.isArray(value['content'])
