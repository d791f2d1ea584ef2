// Fills in each `default` that is missing, as the server does before it checks arguments (src/registry/defaults.ts).
// Alternatives fill in nothing.
import { followReference } from '../../../src/signature.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { findEntrySchema } from './entry-schema.ts'
import { type Document, getMember, toArray } from './schema.ts'

/** @returns the value itself if nothing is missing, and of an answer, in which nobody fills in anything */
export function fillDefaults(value: unknown, { root, isAnswer }: Document): unknown {
  return isAnswer === true || !isObject(root) ? value : new Filling(root).fill(root, value)
}

class Filling {
  readonly #root: JsonObject
  /** The schemas whose defaults are being filled: one in itself has no end. */
  readonly #taken = new Set<JsonObject>()

  constructor(root: JsonObject) {
    this.#root = root
  }

  fill(schema: unknown, value: unknown): unknown {
    if (!isObject(schema) || typeof value !== 'object' || value === null) return value
    let filled: unknown = value
    for (const part of this.#collectParts(schema))
      filled = Array.isArray(filled) ? this.#fillItems(part, filled) : this.#fillMembers(part, filled as JsonObject)
    return filled
  }

  /** What holds for one place: each part once, however often it is referred to. */
  #collectParts(schema: unknown, parts = new Set<JsonObject>()): ReadonlySet<JsonObject> {
    if (!isObject(schema) || parts.has(schema)) return parts
    parts.add(schema)
    for (const part of [followReference(schema, this.#root), ...toArray(schema['allOf'])])
      this.#collectParts(part, parts)
    return parts
  }

  #fillItems({ prefixItems, items, additionalItems }: JsonObject, value: readonly unknown[]): readonly unknown[] {
    // In draft-07, a list of schemas stands under `items`.
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? additionalItems : items
    const filled = value.map((item, index) => this.fill(index < first.length ? first[index] : rest, item))
    return filled.some((item, index) => item !== value[index]) ? filled : value
  }

  #fillMembers(schema: JsonObject, value: JsonObject): JsonObject {
    const named = isObject(schema['properties']) ? schema['properties'] : {}
    const filled = [
      ...Object.entries(named).map(([name, member]) =>
        Object.hasOwn(value, name)
          ? ([name, this.fill(member, value[name])] as const)
          : ([name, this.#takeDefault(member)] as const),
      ),
      ...Object.keys(value)
        .filter(name => !Object.hasOwn(named, name))
        .map(name => [name, this.fill(findEntrySchema(schema, name), value[name])] as const),
    ].filter(([name, next]) => next !== undefined && next !== getMember(value, name))
    return filled.length === 0 ? value : { ...value, ...Object.fromEntries(filled) }
  }

  #takeDefault(schema: unknown): unknown {
    const source = this.#findDefault(schema)
    if (source === undefined || this.#taken.has(source)) return undefined
    this.#taken.add(source)
    try {
      return this.fill(schema, source['default'])
    } finally {
      this.#taken.delete(source)
    }
  }

  #findDefault(schema: unknown): JsonObject | undefined {
    const seen = new Set<unknown>()
    for (let next = schema; isObject(next) && !seen.has(next); next = followReference(next, this.#root)) {
      if (Object.hasOwn(next, 'default')) return next
      seen.add(next)
    }
    return undefined
  }
}
