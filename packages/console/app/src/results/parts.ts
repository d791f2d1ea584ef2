// Splits a result into the parts that are shown: its structured value, and each content block that
// does not just repeat it.
import { isObject } from '../client/json-rpc.ts'
import { isAudio, isPicture, nameByType } from './files.ts'
import { isMarkdown } from './is-markdown.ts'
import { findShape, type Shape } from './shape.ts'
import { parseJson, toJson } from './values.ts'

export type Fields = Readonly<Record<string, unknown>>

export type Part =
  /** `text`: the text of the value, if it arrived as text. */
  | { readonly kind: 'value'; readonly value: unknown; readonly text?: string; readonly shape: Shape }
  | { readonly kind: 'text'; readonly text: string; readonly isMarkdown: boolean }
  | { readonly kind: 'picture' | 'sound' | 'file'; readonly media: Media }
  | { readonly kind: 'link'; readonly block: Fields }
  | { readonly kind: 'resource'; readonly uri: string; readonly mimeType: string; readonly inner: Part }

export interface Media {
  /** Base64. */
  readonly data: string
  readonly mimeType: string
  readonly name: string
}

/** Maximum number of blocks that are shown; with more, a page would stop responding. */
export const MAX_BLOCKS = 200

export const readText = (fields: Fields, key: string): string => (typeof fields[key] === 'string' ? fields[key] : '')

function toValuePart(value: unknown, text?: string): Part {
  const shape = findShape(value)
  return shape.kind === 'text'
    ? toTextPart(shape.text)
    : { kind: 'value', value, shape, ...(text !== undefined && { text }) }
}

/** Text that is JSON is shown as a value. */
function toTextPart(text: string): Part {
  const value = parseJson(text)
  return value === undefined ? { kind: 'text', text, isMarkdown: isMarkdown(text) } : toValuePart(value, text)
}

/** @param content a block of any type, from an untrusted server */
export function toPart(content: unknown): Part {
  const block: Fields = isObject(content) ? content : {}
  switch (block['type']) {
    case 'text':
      return toTextPart(readText(block, 'text'))
    case 'image':
      return toMediaPart(isPicture(block['mimeType']) ? 'picture' : 'file', block, 'picture')
    case 'audio':
      return toMediaPart(isAudio(block['mimeType']) ? 'sound' : 'file', block, 'sound')
    case 'resource':
      return toResourcePart(isObject(block['resource']) ? block['resource'] : {})
    case 'resource_link':
      return { kind: 'link', block }
    default:
      return { kind: 'value', value: content, shape: { kind: 'tree' } }
  }
}

function toMediaPart(kind: 'picture' | 'sound' | 'file', block: Fields, name: string): Part {
  const mimeType = readText(block, 'mimeType')
  return { kind, media: { data: readText(block, 'data'), mimeType, name: nameByType(name, mimeType) } }
}

/** The contents of a resource, embedded in a result or read by `resources/read`. */
export function toResourcePart(contents: Fields): Part {
  const uri = readText(contents, 'uri')
  const mimeType = readText(contents, 'mimeType')
  const kind = isPicture(mimeType) ? 'picture' : isAudio(mimeType) ? 'sound' : 'file'
  const text = contents['text']
  const inner: Part =
    typeof text === 'string'
      ? toTextPart(text)
      : { kind, media: { data: readText(contents, 'blob'), mimeType, name: uri } }
  return { kind: 'resource', uri, mimeType, inner }
}

export interface Parts {
  readonly shown: readonly { readonly part: Part; readonly block: Fields }[]
  /** Texts that only repeat the structured value, for older clients. */
  readonly copies: readonly string[]
  readonly blockCount: number
}

export function toParts({ content, structuredContent }: Fields): Parts {
  const all = Array.isArray(content) ? content : []
  const blocks = all.slice(0, MAX_BLOCKS)
  const isCopy = (block: unknown) => structuredContent !== undefined && repeats(block, structuredContent)
  const copies = blocks.filter(isCopy).map(block => (block as { text: string }).text)
  const structured = structuredContent === undefined ? [] : [{ part: toValuePart(structuredContent), block: {} }]
  const others = blocks
    .filter(block => !isCopy(block))
    .map(block => ({ part: toPart(block), block: isObject(block) ? block : {} }))
  return { shown: [...structured, ...others], copies, blockCount: all.length }
}

function repeats(block: unknown, structured: unknown): boolean {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown }
  if (type !== 'text' || typeof text !== 'string') return false
  const value = parseJson(text)
  if (value !== undefined) return toJson(value) === toJson(structured)
  // Frameworks that wrap a text into an object also send the plain text.
  return isObject(structured) && Object.values(structured).length === 1 && Object.values(structured)[0] === text
}

/** The possible views of a part. It opens with the first one. */
export function listViews(part: Part): readonly (readonly [view: string, label: string])[] {
  switch (part.kind) {
    case 'value':
      return VALUE_VIEWS[part.shape.kind]
    case 'text':
      return part.isMarkdown ? MARKDOWN_VIEWS : []
    case 'picture':
      return ZOOMS
    case 'resource':
      return listViews(part.inner)
    default:
      return []
  }
}

const TREE = ['tree', 'Tree'] as const
const TEXT = ['text', 'Text'] as const
const VALUE_VIEWS = {
  rows: [['table', 'Table'], TREE, TEXT],
  figures: [['table', 'Table'], TREE, TEXT],
  figure: [['figure', 'Figure'], TREE, TEXT],
  text: [TREE, TEXT],
  tree: [TREE, TEXT],
} as const
const MARKDOWN_VIEWS = [['formatted', 'Formatted'], TEXT] as const
const ZOOMS = [
  ['fit', 'Fit'],
  ['full', '100%'],
] as const
