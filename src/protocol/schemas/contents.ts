// Schemas of the parts that content blocks, resources and their lists share. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import { AnyObject } from './common.ts'

export const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' })
export const Uri = Type.String({ format: 'uri' })
// Checks one character of the subtype: a second open repetition would need RE2 instead of V8.
export const MimeType = Type.String({ pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]' })

/** An image for clients that show one. */
export const Icon = Type.Object({
  src: Type.String({ format: 'uri', pattern: '^(?:https?|data):' }),
  mimeType: Type.Optional(MimeType),
  sizes: Type.Optional(Type.Array(Type.String())),
  theme: Type.Optional(Type.Union([Type.Literal('light'), Type.Literal('dark')])),
})
export type Icon = Static<typeof Icon>

export const Role = Type.Union([Type.Literal('user'), Type.Literal('assistant')])

/** The audience of a block, its importance, and when it was changed. */
export const Annotations = Type.Object({
  audience: Type.Optional(Type.Array(Role)),
  priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  lastModified: Type.Optional(Type.String()),
})
export type Annotations = Static<typeof Annotations>

/** Members that any block may have. */
export const extras = { annotations: Type.Optional(Annotations), _meta: Type.Optional(AnyObject) }

type Contents = { uri: string; mimeType?: string; _meta?: Record<string, unknown> }
/** The text of a resource, or its bytes in Base64. */
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

/**
 * With members that the specification's page has and its schema lacks. Server/tools, "Embedded
 * Resources".
 */
export const EmbeddedContents = Type.Object({
  ...contents,
  title: Type.Optional(Type.String()),
  annotations: extras.annotations,
})
