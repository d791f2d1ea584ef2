// The common case of a schema with identifiers: its root alone has one, and all references are
// pointers within it. Without the identifier it means the same, and all else stays as it was written.
import type { Dialect } from './dialect.ts'
import { findSubschemas, isNode, mapSubschemas, type Node } from './keywords.ts'
import type { References } from './references.ts'
import type { Schema } from './validator.ts'

export const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor']
export const MARKS = [...IDENTIFIERS, '$dynamicRef']

/** @returns undefined if it has other identifiers or references; `document` itself if nothing is to change */
export function withoutRootIdentifier(dialect: Dialect, references: References, document: Schema): Schema | undefined {
  const { resource } = references.root
  const nodes = findNodes(dialect, document)
  if (
    nodes.some(node =>
      MARKS.some(mark => typeof node[mark] === 'string' && (node !== document || mark === '$dynamicRef')),
    )
  )
    return undefined
  const known = new Set<unknown>(nodes)
  const toPointer = (reference: string): string | undefined => {
    const { schema, resource: owner } = references.resolve(reference, resource)
    if (references.isMetaSchema(owner)) return schema === owner.root ? owner.uri : undefined
    const start = reference.indexOf('#')
    const fragment = start === -1 ? '#' : reference.slice(start)
    // Outside of keywords with schemas, nothing is rewritten; a boolean is no member of them.
    return /^#(?:$|\/)/.test(fragment) && (typeof schema === 'boolean' || known.has(schema)) ? fragment : undefined
  }
  const pointers = new Map<Node, string>()
  for (const node of nodes) {
    if (typeof node['$ref'] !== 'string') continue
    const pointer = toPointer(node['$ref'])
    if (pointer === undefined) return undefined
    if (pointer !== node['$ref']) pointers.set(node, pointer)
  }
  const { $id: _id, $anchor: _anchor, $dynamicAnchor: _dynamicAnchor, ...others } = document
  if (pointers.size === 0) return Object.keys(others).length === Object.keys(document).length ? document : others
  const visit = (node: unknown): unknown => {
    if (!isNode(node)) return node
    const pointer = pointers.get(node)
    const copy = mapSubschemas(dialect, node, visit)
    return pointer === undefined ? copy : { ...copy, $ref: pointer }
  }
  const root = pointers.get(document)
  return { ...mapSubschemas(dialect, others, visit), ...(root !== undefined && { $ref: root }) }
}

function findNodes(dialect: Dialect, schema: unknown, found: Node[] = []): readonly Node[] {
  if (!isNode(schema)) return found
  found.push(schema)
  for (const each of findSubschemas(dialect, schema)) findNodes(dialect, each.schema, found)
  return found
}
