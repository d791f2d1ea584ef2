// Handles the common case of a schema with identifiers: only its root has one, and all references
// are pointers within it.
// Without the identifier it means the same, and the rest stays as it was written.
import type { Dialect } from './dialect.ts'
import { findSubschemas, isNode, mapSubschemas, type Node } from './keywords.ts'
import type { References } from './references.ts'
import type { Schema } from './validator.ts'

export const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor']
const MARKS = [...IDENTIFIERS, '$dynamicRef']

/** The new reference of each schema that has to change. */
type Pointers = ReadonlyMap<Node, string>

/**
 * @returns undefined if it has other identifiers or references; `document` itself if nothing changes
 */
export function withoutRootIdentifier(dialect: Dialect, references: References, document: Schema): Schema | undefined {
  const nodes = findNodes(dialect, document)
  if (nodes.some(node => hasOtherMark(node, document))) return undefined
  const pointers = findPointers(references, nodes)
  if (pointers === undefined) return undefined
  const { $id: _id, $anchor: _anchor, $dynamicAnchor: _dynamicAnchor, ...others } = document
  if (pointers.size === 0) return Object.keys(others).length === Object.keys(document).length ? document : others
  const redirected = mapSubschemas(dialect, others, schema => redirect(dialect, schema, pointers))
  return { ...redirected, ...toReference(pointers.get(document)) }
}

/** The root may have identifiers; dynamic references are allowed nowhere. */
const hasOtherMark = (node: Node, root: unknown): boolean =>
  MARKS.some(mark => typeof node[mark] === 'string' && (node !== root || mark === '$dynamicRef'))

function findPointers(references: References, nodes: readonly Node[]): Pointers | undefined {
  const known = new Set<unknown>(nodes)
  const pointers = new Map<Node, string>()
  for (const node of nodes) {
    const { $ref: reference } = node
    if (typeof reference !== 'string') continue
    const pointer = toPointer(references, reference, known)
    if (pointer === undefined) return undefined
    if (pointer !== reference) pointers.set(node, pointer)
  }
  return pointers
}

/** @param known the schemas of the document; only these are rewritten */
function toPointer(references: References, reference: string, known: ReadonlySet<unknown>): string | undefined {
  const { schema, resource } = references.resolve(reference, references.root.resource)
  if (references.isMetaSchema(resource)) return schema === resource.root ? resource.uri : undefined
  const start = reference.indexOf('#')
  const fragment = start === -1 ? '#' : reference.slice(start)
  // A boolean schema is the same value everywhere, so it is not looked up.
  return /^#(?:$|\/)/.test(fragment) && (typeof schema === 'boolean' || known.has(schema)) ? fragment : undefined
}

function redirect(dialect: Dialect, schema: unknown, pointers: Pointers): unknown {
  if (!isNode(schema)) return schema
  const copy = mapSubschemas(dialect, schema, each => redirect(dialect, each, pointers))
  return { ...copy, ...toReference(pointers.get(schema)) }
}

const toReference = (pointer: string | undefined) => pointer !== undefined && { $ref: pointer }

function findNodes(dialect: Dialect, schema: unknown, found: Node[] = []): readonly Node[] {
  if (!isNode(schema)) return found
  found.push(schema)
  for (const each of findSubschemas(dialect, schema)) findNodes(dialect, each.schema, found)
  return found
}
