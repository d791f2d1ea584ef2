// Schemas of the results that handlers and clients return. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import type { ContentBlock } from '../blocks.ts'
import { AnyObject } from './common.ts'
import { type ResourceContents, Role } from './contents.ts'

/** The result of a call, as a client gets it. */
export type CallToolResult = {
  resultType: 'complete'
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** A prompt with its messages, as a client gets it. */
export interface GetPromptResult {
  description?: string
  messages: { role: 'user' | 'assistant'; content: ContentBlock }[]
  _meta?: Record<string, unknown>
}

/** The contents of a resource, as a client gets them. */
export interface ReadResourceResult {
  contents: ResourceContents[]
  _meta?: Record<string, unknown>
}

/** The answer of a client whose user was asked. */
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

/**
 * The answer of a client's model.
 * The blocks of its content are checked one by one.
 */
export const CreateMessageResult = Type.Object({
  role: Role,
  content: Type.Union([AnyObject, Type.Array(AnyObject)]),
  model: Type.String(),
  stopReason: Type.Optional(Type.String()),
})
export type CreateMessageResult = Static<typeof CreateMessageResult>

// Not `format: uri`, which rejects the brackets that URL parsers keep in folder names.
const FileUri = Type.String({ pattern: '^file://[^\\x00-\\x20\\x7f]*$' })

/** The folders that a client has named. */
export const ListRootsResult = Type.Object({
  roots: Type.Array(Type.Object({ uri: FileUri, name: Type.Optional(Type.String()) })),
})
export type ListRootsResult = Static<typeof ListRootsResult>
