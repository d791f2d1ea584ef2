// The types of content blocks, one row each. Two parts are elsewhere: the views in the console, and the
// texts for older clients, in the revision that adds a type. Spec 2026-07-28: server/tools, "Tool
// Result".
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { isObject, type JsonObject } from './messages.ts'
import { pickKnown } from './schemas/common.ts'
import { Base64, EmbeddedContents, extras, Icon, MimeType, ResourceContents, Uri } from './schemas/contents.ts'

/** A file that a block holds. */
export interface BlockFile {
  readonly mimeType: string
  readonly bytes: Buffer
  /** Absent if the block has none. */
  readonly uri?: string | undefined
}

interface BlockRow<Schema extends TObject> {
  readonly schema: Schema
  /** A handler's object without this member is its own data, even if its `type` is that of a block. */
  readonly mark: string & keyof Static<Schema>
  /** Messages to and from a model may have it. Spec 2026-07-28: client/sampling. */
  readonly isSampled?: true
  /** The text that it holds, if any. */
  toText?(block: Static<Schema>): string | undefined
  toFile?(block: Static<Schema>): BlockFile
  /** Keeps the members that the specification names; default: those of the schema. */
  toKnown?(block: Static<Schema>): JsonObject
}

/** A row whose type is not known. */
interface AnyRow {
  readonly schema: TObject
  readonly mark: string
  readonly isSampled?: true
  toText?(block: JsonObject): string | undefined
  toFile?(block: JsonObject): BlockFile
  toKnown?(block: JsonObject): JsonObject
}

const defineBlock = <Schema extends TObject>(row: BlockRow<Schema>): BlockRow<Schema> => Object.freeze(row)

const createMediaSchema = <T extends 'image' | 'audio'>(type: T) =>
  Type.Object({
    type: Type.Literal(type),
    data: Base64,
    mimeType: Type.String({ pattern: `^${type}/[A-Za-z0-9.+-]+$` }),
    ...extras,
  })

interface Media {
  readonly data: string
  readonly mimeType: string
}

const toMediaFile = ({ data, mimeType }: Media): BlockFile => ({ mimeType, bytes: Buffer.from(data, 'base64') })

const Embedded = Type.Object({ type: Type.Literal('resource'), resource: ResourceContents, ...extras })

export const BLOCKS = Object.freeze({
  text: defineBlock({
    schema: Type.Object({ type: Type.Literal('text'), text: Type.String(), ...extras }),
    mark: 'text',
    isSampled: true,
    toText: ({ text }) => text,
  }),
  image: defineBlock({
    schema: createMediaSchema('image'),
    mark: 'data',
    isSampled: true,
    toFile: toMediaFile,
  }),
  audio: defineBlock({
    schema: createMediaSchema('audio'),
    mark: 'data',
    isSampled: true,
    toFile: toMediaFile,
  }),
  resource_link: defineBlock({
    schema: Type.Object({
      type: Type.Literal('resource_link'),
      uri: Uri,
      name: Type.String(),
      title: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      mimeType: Type.Optional(MimeType),
      size: Type.Optional(Type.Number()),
      icons: Type.Optional(Type.Array(Icon)),
      ...extras,
    }),
    mark: 'uri',
  }),
  resource: defineBlock({
    schema: Embedded,
    mark: 'resource',
    toText: ({ resource }) => ('text' in resource ? resource.text : undefined),
    toFile: ({ resource }) => toContentsFile(resource),
    toKnown: block => ({
      ...pickKnown(Embedded, block),
      resource: pickKnown<object>(EmbeddedContents, block.resource),
    }),
  }),
})
/** The types of content blocks, such as `text` and `image`. */
export type BlockType = keyof typeof BLOCKS
/** A content block of any type. */
export type ContentBlock = { [T in BlockType]: Static<(typeof BLOCKS)[T]['schema']> }[BlockType]
/** A content block of one type: `BlockOf<'image'>`. */
export type BlockOf<T extends BlockType> = Extract<ContentBlock, { type: T }>

export const BLOCK_TYPES = Object.freeze(Object.keys(BLOCKS) as BlockType[])
export const SAMPLED_TYPES: readonly string[] = BLOCK_TYPES.filter(type => findRow(type)?.isSampled)

/** @returns undefined for a type that no block has */
export function findRow(type: unknown): AnyRow | undefined {
  return typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? BLOCKS[type as BlockType] : undefined
}

/** Whether a handler means the value as a block: it has the `type` and one more member of a block. */
export function looksLikeBlock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'type')) return false
  const row = findRow((value as { type: unknown }).type)
  return row !== undefined && Object.hasOwn(value, row.mark)
}

/** The text that a block holds: its own, or that of its resource. */
export const toText = (block: ContentBlock): string | undefined => findRow(block.type)?.toText?.(block)

/** The file that a block holds. A link holds none, since it only names one. */
export const toFile = (block: ContentBlock): BlockFile | undefined => findRow(block.type)?.toFile?.(block)

/** @param contents of a resource: its text, or its bytes in Base64 */
export function toContentsFile(contents: JsonObject | ResourceContents): BlockFile {
  const { uri, mimeType, text, blob } = contents as Record<string, string | undefined>
  if (text !== undefined) return { uri, mimeType: mimeType ?? 'text/plain', bytes: Buffer.from(text) }
  return { uri, mimeType: mimeType ?? 'application/octet-stream', bytes: Buffer.from(blob ?? '', 'base64') }
}

/** Keeps the members that the specification names. @param block must be valid */
export function toKnownBlock(block: unknown): ContentBlock {
  const row = isObject(block) ? findRow(block['type']) : undefined
  return (row?.toKnown?.(block as JsonObject) ?? pickKnown(row?.schema ?? {}, block)) as ContentBlock
}
