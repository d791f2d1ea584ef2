// Rewrites a schema of 2020-12 for clients that read every schema as draft-07, such as those of the
// SDK 1.x. They ignore newer keywords, and apply `items` beside `prefixItems` to all items. The
// result means the same in 2020-12.

import { someSchema, Weakening } from './checkable.ts'
import { findDialect } from './dialect.ts'
import { decodeFragment, encodeFragment, escapeKey } from './pointer.ts'
import { schemaMembers } from './reader.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

const IGNORED: readonly string[] = [
  ...['prefixItems', 'unevaluatedItems', 'unevaluatedProperties', 'minContains', 'maxContains'],
  ...['dependentRequired', 'dependentSchemas'],
]

/**
 * @param schema as a tool lists it: its references are pointers
 * @returns a schema that accepts, read as draft-07, at least the values that `schema` accepts as
 *   2020-12
 */
export function toDraft07Readable(schema: Schema): Schema {
  if (findDialect(schema['$schema']) !== '2020-12') return schema
  const isOfOthers = (node: Members) => IGNORED.some(keyword => keyword in node)
  if (!someSchema(schema, isOfOthers)) return schema
  const rewritten = new Rewriting().run(schema)
  const weakened = new Weakening(rewritten, {}, IGNORED).weaken(rewritten).schema as Schema
  // Without `if`, fewer properties count as evaluated.
  return countIfs(weakened) < countIfs(rewritten) ? withoutUnevaluated(weakened) : weakened
}

class Rewriting {
  /** Pointers of schemas, and their new positions. */
  readonly #moved = new Map<string, string>()

  run(schema: Schema): Schema {
    const rewritten = this.#rewrite(schema, '#', '#', false) as Schema
    if (this.#moved.size > 0) this.#redirect(rewritten, false)
    return rewritten
  }

  #rewrite(node: unknown, from: string, to: string, isMap: boolean): unknown {
    if (typeof node !== 'object' || node === null) return node
    const places = isMap || Array.isArray(node) ? {} : findNewPlaces(node as Members)
    const copy: Members | unknown[] = Array.isArray(node) ? [...node] : { ...node }
    for (const { key, value, isMap: isMapToo } of schemaMembers(node, isMap)) {
      const [origin, place] = [`${from}/${escapeKey(key)}`, `${to}/${places[key] ?? escapeKey(key)}`]
      if (place !== origin) this.#moved.set(origin, place)
      ;(copy as Members)[key] = this.#rewrite(value, origin, place, isMapToo)
    }
    if (!isMap && !Array.isArray(copy)) rewriteTuple(rewriteContains(copy))
    return copy
  }

  #redirect(node: unknown, isMap: boolean): void {
    if (typeof node !== 'object' || node === null) return
    const { $ref } = node as { $ref?: unknown }
    if (!isMap && typeof $ref === 'string') (node as Members)['$ref'] = this.#findPlace($ref)
    for (const member of schemaMembers(node, isMap)) this.#redirect(member.value, member.isMap)
  }

  #findPlace(encoded: string): string {
    const reference = decodeFragment(encoded)
    for (let end = reference.length; end > 0; end = reference.lastIndexOf('/', end - 1)) {
      const place = this.#moved.get(reference.slice(0, end))
      if (place !== undefined) return encodeFragment(place + reference.slice(end))
    }
    return encoded
  }
}

/** The new positions of the schemas of a rewritten node. */
function findNewPlaces(node: Members): Readonly<Record<string, string>> {
  const others = Array.isArray(node['allOf']) ? node['allOf'].length : 0
  return {
    ...(hasRest(node) && { items: 'unevaluatedItems' }),
    ...(isOptionalContains(node) && { contains: `allOf/${others}/anyOf/1/contains` }),
  }
}

const isTuple = ({ prefixItems }: Members) => Array.isArray(prefixItems)
const hasRest = (node: Members) => isTuple(node) && typeof node['items'] === 'object'
const isOptionalContains = ({ contains, minContains }: Members) => contains !== undefined && minContains === 0

function rewriteTuple(node: Members): void {
  const { prefixItems, items, maxItems } = node
  if (hasRest(node)) node['unevaluatedItems'] = items
  if (hasRest(node) || (isTuple(node) && items === false)) delete node['items']
  if (isTuple(node) && items === false)
    node['maxItems'] = Math.min((prefixItems as unknown[]).length, Number(maxItems ?? Number.POSITIVE_INFINITY))
}

// In draft-07, at least one item must match, whatever `minContains` is.
function rewriteContains(node: Members): Members {
  if (!isOptionalContains(node)) return node
  const { contains, maxContains, allOf } = node
  for (const keyword of ['contains', 'minContains', 'maxContains']) delete node[keyword]
  const some = { contains, ...(maxContains !== undefined && { maxContains }) }
  node['allOf'] = [...((allOf as unknown[] | undefined) ?? []), { anyOf: [{ not: { contains } }, some] }]
  return node
}

function countIfs(schema: Schema): number {
  let count = 0
  someSchema(schema, node => {
    if ('if' in node) count++
    return false
  })
  return count
}

const withoutUnevaluated = (schema: Schema): Schema =>
  new Weakening(schema, { unevaluatedItems: () => true, unevaluatedProperties: () => true }).weaken(schema)
    .schema as Schema
