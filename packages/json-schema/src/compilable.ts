// Clients of both SDKs compile the schema of every result with Ajv before they show a tool. If Ajv
// refuses one, all tools are hidden. Parts that Ajv is strict about are left out if the meaning
// stays the same.

import { someSchema } from './checkable.ts'
import { mapMembers } from './reader.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

/** Annotations here, but Ajv has its own rules for them. */
const NOTES = ['id', 'nullable', '$async']

/** @returns an equivalent schema that Ajv compiles; `schema` itself if nothing needs a change */
export function toCompilable(schema: Schema): Schema {
  return someSchema(schema, isStrict) ? (withoutStrictness(schema) as Schema) : schema
}

const isStrict = (node: Members) => NOTES.some(keyword => keyword in node) || isEmptyEnum(node)
const isEmptyEnum = (node: Members) => Array.isArray(node['enum']) && node['enum'].length === 0

function withoutStrictness(node: unknown, isMap = false): unknown {
  if (typeof node !== 'object' || node === null) return node
  const copy = mapMembers(node, isMap, withoutStrictness)
  if (isMap || Array.isArray(copy)) return copy
  for (const keyword of NOTES) delete copy[keyword]
  if (!isEmptyEnum(copy)) return copy
  delete copy['enum']
  return { ...copy, not: {} }
}
