// Clients of both SDKs compile the schema of every result with Ajv before they show a tool: one that
// Ajv refuses hides all tools. What Ajv is strict about means the same, or nothing, when it is left out.

import { someSchema } from './checkable.ts'
import { mapMembers } from './reader.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

/** Notes here, and rules of their own in Ajv. */
const NOTES = ['id', 'nullable', '$async']

/** @returns an equal schema that Ajv compiles; `schema` itself if there is nothing to rewrite */
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
