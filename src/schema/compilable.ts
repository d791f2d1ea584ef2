// Clients of both SDKs compile the schema of every result with Ajv before they show a tool: one that
// Ajv refuses hides all tools. What Ajv is strict about means the same, or nothing, when it is left out.
import { mapMembers } from './bounds.ts'
import { someSchema } from './checkable.ts'
import { findDialect } from './dialect.ts'
import { encodeFragment, escapeKey } from './pointer.ts'
import { References, type SchemaResource } from './references.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

/** Ajv refuses two equal schemas of one name, within a schema and, at its root, among tools. */
const NAMES = ['$id', '$anchor', '$dynamicAnchor']

/** Notes here, and rules of their own in Ajv. */
const NOTES = ['id', 'nullable', '$async']

/** @returns an equal schema that Ajv compiles; `schema` itself if there is nothing to rewrite */
export function toCompilable(schema: Schema): Schema {
  const named = withoutNames(schema)
  return someSchema(named, isStrict) ? (withoutStrictness(named) as Schema) : named
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

/** With each `$ref` by pointer. A `$dynamicRef` needs the names. */
function withoutNames(schema: Schema): Schema {
  if (!someSchema(schema, node => NAMES.some(name => name in node))) return schema
  if (someSchema(schema, node => '$dynamicRef' in node)) return schema
  const references = findReferences(schema)
  if (references === undefined) return schema
  const pointers = findPointers(schema)
  const rename = (node: unknown, outer: SchemaResource, isMap: boolean): unknown => {
    if (typeof node !== 'object' || node === null) return node
    const resource = isMap ? outer : references.getResource(node, outer)
    const copy = mapMembers(node, isMap, (value, isMapToo) => rename(value, resource, isMapToo))
    if (isMap || Array.isArray(copy)) return copy
    for (const name of NAMES) delete copy[name]
    const { $ref, ...others } = copy
    if (typeof $ref !== 'string') return copy
    const { schema: target } = references.resolve($ref, resource)
    // A boolean has no identity, so no pointer.
    if (typeof target === 'boolean') return target ? others : { ...others, not: {} }
    return { ...others, $ref: pointers.get(target) ?? $ref }
  }
  return rename(schema, references.root.resource, false) as Schema
}

/** @returns undefined if one is broken: the schema is compiled later, which says so */
function findReferences(schema: Schema): References | undefined {
  try {
    return new References(findDialect(schema['$schema']) ?? '2020-12', schema)
  } catch {
    return undefined
  }
}

function findPointers(root: Schema): ReadonlyMap<unknown, string> {
  const pointers = new Map<unknown, string>()
  const visit = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return
    pointers.set(node, encodeFragment(pointer))
    for (const [key, value] of Object.entries(node)) visit(value, `${pointer}/${escapeKey(key)}`)
  }
  visit(root, '#')
  return pointers
}
