// Spec 2026-07-28: schema, ToolAnnotations.
import { type Static, Type } from '@sinclair/typebox'

/** Hints for clients, such as `readOnlyHint`. */
export const ToolAnnotations = Type.Object({
  title: Type.Optional(Type.String()),
  readOnlyHint: Type.Optional(Type.Boolean()),
  destructiveHint: Type.Optional(Type.Boolean()),
  idempotentHint: Type.Optional(Type.Boolean()),
  openWorldHint: Type.Optional(Type.Boolean()),
})
export type ToolAnnotations = Static<typeof ToolAnnotations>
