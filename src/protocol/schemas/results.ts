// Schemas of the results and content blocks that handlers return. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import { AnyObject } from './common.ts'

const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' })
const Uri = Type.String({ format: 'uri' })
// Checks one character of the subtype: a second open repetition would need RE2 instead of V8.
export const MimeType = Type.String({ pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]' })
const createMimeSchema = (kind: string) => Type.String({ pattern: `^${kind}/[A-Za-z0-9.+-]+$` })

export const Icon = Type.Object({
  src: Type.String({ format: 'uri', pattern: '^(?:https?|data):' }),
  mimeType: Type.Optional(MimeType),
  sizes: Type.Optional(Type.Array(Type.String())),
  theme: Type.Optional(Type.Union([Type.Literal('light'), Type.Literal('dark')])),
})
export type Icon = Static<typeof Icon>

const Role = Type.Union([Type.Literal('user'), Type.Literal('assistant')])

export const Annotations = Type.Object({
  audience: Type.Optional(Type.Array(Role)),
  priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  lastModified: Type.Optional(Type.String()),
})
export type Annotations = Static<typeof Annotations>

const extras = { annotations: Type.Optional(Annotations), _meta: Type.Optional(AnyObject) }

type Contents = { uri: string; mimeType?: string; _meta?: Record<string, unknown> }
export type ResourceContents = Contents & ({ text: string } | { blob: string })

const contents = {
  uri: Uri,
  mimeType: Type.Optional(MimeType),
  text: Type.Optional(Type.String()),
  blob: Type.Optional(Base64),
  _meta: extras._meta,
}

// Not a union: with a wrong blob its errors would describe the missing text.
export const ResourceContents = Type.Unsafe<ResourceContents>({
  ...Type.Object(contents),
  anyOf: [{ required: ['text'] }, { required: ['blob'] }],
})

/** With members that the page has and the schema lacks. Server/tools, "Embedded Resources". */
export const EmbeddedContents = Type.Object({
  ...contents,
  title: Type.Optional(Type.String()),
  annotations: extras.annotations,
})

export const BLOCKS = Object.freeze({
  text: Type.Object({ type: Type.Literal('text'), text: Type.String(), ...extras }),
  image: Type.Object({ type: Type.Literal('image'), data: Base64, mimeType: createMimeSchema('image'), ...extras }),
  audio: Type.Object({ type: Type.Literal('audio'), data: Base64, mimeType: createMimeSchema('audio'), ...extras }),
  resource_link: Type.Object({
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
  resource: Type.Object({ type: Type.Literal('resource'), resource: ResourceContents, ...extras }),
})
export type BlockType = keyof typeof BLOCKS
export type ContentBlock = { [T in BlockType]: Static<(typeof BLOCKS)[T]> }[BlockType]

export type CallToolResult = {
  resultType: 'complete'
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

export interface GetPromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[]
  _meta?: Record<string, unknown>
}

export interface ReadResourceResult {
  contents: ResourceContents[]
  _meta?: Record<string, unknown>
}

export const ElicitResult = Type.Object({
  action: Type.Union([Type.Literal('accept'), Type.Literal('decline'), Type.Literal('cancel')]),
  content: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'array'], items: { type: 'string' } },
    }),
  ),
})
export type ElicitResult = Static<typeof ElicitResult>

/** The blocks of its content are checked one by one. */
export const CreateMessageResult = Type.Object({
  role: Role,
  content: Type.Union([AnyObject, Type.Array(AnyObject)]),
  model: Type.String(),
  stopReason: Type.Optional(Type.String()),
})
export type CreateMessageResult = Static<typeof CreateMessageResult>

// Not `format: uri`, which rejects the brackets that URL parsers keep in folder names.
const FileUri = Type.String({ pattern: '^file://[^\\x00-\\x20\\x7f]*$' })

export const ListRootsResult = Type.Object({
  roots: Type.Array(Type.Object({ uri: FileUri, name: Type.Optional(Type.String()) })),
})
export type ListRootsResult = Static<typeof ListRootsResult>
