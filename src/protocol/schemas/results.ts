// The results and blocks that handlers hand over, as schemas, so that nothing malformed leaves. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import { AnyObject } from './common.ts'

// Whether the length fits as well is checked where it can be said more plainly.
const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' })
const mimeOf = (kind: string) => Type.String({ pattern: `^${kind}/[A-Za-z0-9.+-]+$` })

export const Icon = Type.Object({
  src: Type.String(),
  mimeType: Type.Optional(Type.String()),
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

export const ResourceContents = Type.Union([
  Type.Object({ uri: Type.String(), mimeType: Type.Optional(Type.String()), text: Type.String(), _meta: extras._meta }),
  Type.Object({ uri: Type.String(), mimeType: Type.Optional(Type.String()), blob: Base64, _meta: extras._meta }),
])
export type ResourceContents = Static<typeof ResourceContents>

/** The content blocks, by their `type`. */
export const BLOCKS = Object.freeze({
  text: Type.Object({ type: Type.Literal('text'), text: Type.String(), ...extras }),
  image: Type.Object({ type: Type.Literal('image'), data: Base64, mimeType: mimeOf('image'), ...extras }),
  audio: Type.Object({ type: Type.Literal('audio'), data: Base64, mimeType: mimeOf('audio'), ...extras }),
  resource_link: Type.Object({
    type: Type.Literal('resource_link'),
    uri: Type.String(),
    name: Type.String(),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    mimeType: Type.Optional(Type.String()),
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

/** The client's answers to what a server asks. */
export const ElicitResult = Type.Object({
  action: Type.Union([Type.Literal('accept'), Type.Literal('decline'), Type.Literal('cancel')]),
  content: Type.Optional(AnyObject),
})
export type ElicitResult = Static<typeof ElicitResult>

export const CreateMessageResult = Type.Object({
  role: Role,
  content: Type.Union([AnyObject, Type.Array(AnyObject)]),
  model: Type.String(),
  stopReason: Type.Optional(Type.String()),
})
export type CreateMessageResult = Static<typeof CreateMessageResult>

export const ListRootsResult = Type.Object({
  roots: Type.Array(Type.Object({ uri: Type.String(), name: Type.Optional(Type.String()) })),
})
export type ListRootsResult = Static<typeof ListRootsResult>
