// Rewrites the JSON Schema of a library where it refuses values that the library accepts, or where
// clients cannot read it. The library itself checks what becomes weaker.

import { replaceOneOf, someSchema } from '@toolrack/json-schema/checkable'
import { decodeFragment, encodeFragment, escapeKey, readPointer } from '@toolrack/json-schema/pointer'
import { mapMembers } from '@toolrack/json-schema/reader'
import { isToldApart } from '@toolrack/json-schema/unions'
import type { Schema } from '@toolrack/json-schema/validator'
import { isObject } from 'toolrack/protocol'

type Members = Record<string, unknown>

interface LibraryRules {
  /** Whether an intersection accepts the properties of all its parts, also of closed ones. */
  readonly poolsProperties: boolean
}

export const repairListing = (schema: Schema, rules: LibraryRules): Schema => new Repair(schema, rules).run()

const CLOSING = ['additionalProperties', 'unevaluatedProperties']
const DEFINITION = /^#\/(\$defs|definitions)\/([^/]+)$/

class Repair {
  readonly #root: Schema
  readonly #rules: LibraryRules
  /** By reference: the place of its copy without closed objects. */
  readonly #opened = new Map<string, string>()
  readonly #definitions: Record<string, Members> = { $defs: {}, definitions: {} }

  constructor(root: Schema, rules: LibraryRules) {
    this.#root = root
    this.#rules = rules
  }

  run(): Schema {
    const repaired = this.#repair(this.#root) as Members
    for (const [keyword, added] of Object.entries(this.#definitions))
      if (Object.keys(added).length > 0) repaired[keyword] = { ...(repaired[keyword] as Members), ...added }
    return repaired
  }

  #repair(node: unknown, isMap = false): unknown {
    if (typeof node !== 'object' || node === null) return node
    const copy = mapMembers(node, isMap, (value, isMapToo) => this.#repair(value, isMapToo))
    if (isMap || Array.isArray(copy)) return copy
    // The meta-schema refuses an empty list, which has no effect anyway.
    if (Array.isArray(copy['prefixItems']) && copy['prefixItems'].length === 0) delete copy['prefixItems']
    dropUnreadablePatterns(copy)
    if (Array.isArray(copy['oneOf']) && !isToldApart(copy['oneOf'], this.#root)) replaceOneOf(copy)
    if (this.#rules.poolsProperties && Array.isArray(copy['allOf'])) this.#pool(copy, copy['allOf'])
    return copy
  }

  /**
   * A closed object knows only its own properties. So the objects of an intersection are closed as a
   * whole.
   */
  #pool(node: Members, parts: readonly unknown[]): void {
    if (parts.length < 2 || !parts.some(part => this.#holdsClosed(part))) return
    const isClosed = parts.some(part => this.#isClosed(part, some)) && parts.every(part => this.#isClosed(part, every))
    node['allOf'] = parts.map(part => this.#open(part))
    if (isClosed) node['unevaluatedProperties'] = false
  }

  /** Looks also further inside: parts may share a list, a record or a property of objects. */
  #holdsClosed(part: unknown, seen: ReadonlySet<string> = new Set()): boolean {
    return someSchema(part, node => {
      if (isClosing(node)) return true
      const { $ref } = node
      if (typeof $ref !== 'string' || seen.has($ref)) return false
      return this.#holdsClosed(this.#resolve($ref), new Set([...seen, $ref]))
    })
  }

  /** @param decide whether some or all of its alternatives must be closed */
  #isClosed(schema: unknown, decide: typeof some, seen: ReadonlySet<unknown> = new Set()): boolean {
    if (!isObject(schema) || seen.has(schema)) return false
    if (isClosing(schema)) return true
    const { $ref, type, anyOf, oneOf, allOf } = schema
    if (decide === every && type !== undefined && ![type].flat().includes('object')) return true
    const next = (each: unknown) => this.#isClosed(each, decide, new Set([...seen, schema]))
    if (typeof $ref === 'string' && next(this.#resolve($ref))) return true
    if (Array.isArray(allOf) && allOf.some(next)) return true
    return [anyOf, oneOf].some(branches => Array.isArray(branches) && decide(branches, next))
  }

  /** A copy without closed objects at any depth: intersections merge properties at each depth. */
  #open(node: unknown, isMap = false): unknown {
    if (typeof node !== 'object' || node === null) return node
    const copy = mapMembers(node, isMap, (value, isMapToo) => this.#open(value, isMapToo))
    if (isMap || Array.isArray(copy)) return copy
    const names = findOwnNames(copy)
    if (names !== undefined) {
      copy['properties'] = Object.fromEntries(names.map(name => [name, copy['additionalProperties'] ?? {}]))
      delete copy['propertyNames']
      delete copy['additionalProperties']
    }
    for (const keyword of CLOSING) if (copy[keyword] === false) delete copy[keyword]
    if (typeof copy['$ref'] === 'string') copy['$ref'] = this.#openReference(copy['$ref'])
    return copy
  }

  #openReference(reference: string): string {
    const known = this.#opened.get(reference)
    if (known !== undefined) return known
    const target = this.#resolve(reference)
    if (!isObject(target)) return reference
    const { keyword, name } = readDefinition(reference) ?? { keyword: '$defs', name: 'root' }
    const opened = `${name}-open`
    const place = encodeFragment(`#/${keyword}/${escapeKey(opened)}`)
    this.#opened.set(reference, place)
    const { $defs: _one, definitions: _other, ...schema } = target
    this.#definitions[keyword]![opened] = this.#open(this.#repair(schema))
    return place
  }

  #resolve(reference: string): unknown {
    if (reference === '#') return this.#root
    const { keyword, name } = readDefinition(reference) ?? { keyword: '', name: '' }
    const definitions = this.#root[keyword]
    return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined
  }
}

/** The keyword and the name; in the reference, the name is escaped. */
function readDefinition(reference: string): { readonly keyword: string; readonly name: string } | undefined {
  const [, keyword, pointer] = DEFINITION.exec(decodeFragment(reference)) ?? []
  return keyword === undefined ? undefined : { keyword, name: readPointer(`/${pointer}`)[0]! }
}

const isClosing = (schema: Members) =>
  CLOSING.some(keyword => schema[keyword] === false) || findOwnNames(schema) !== undefined
const some = <T>(values: readonly T[], test: (value: T) => boolean) => values.some(test)
const every = <T>(values: readonly T[], test: (value: T) => boolean) => values.every(test)

/** The names of a record that allows no others, such as `z.record(z.enum(['a', 'b']), z.number())`. */
function findOwnNames({ properties, propertyNames }: Members): readonly string[] | undefined {
  if (properties !== undefined || !isObject(propertyNames)) return undefined
  const names = 'const' in propertyNames ? [propertyNames['const']] : propertyNames['enum']
  return Array.isArray(names) && names.every(name => typeof name === 'string') ? names : undefined
}

/** Libraries write patterns without the flag `u`, but JSON Schema reads them with it. */
function dropUnreadablePatterns(node: Members): void {
  if (typeof node['pattern'] === 'string' && !isReadable(node['pattern'])) delete node['pattern']
  const { patternProperties } = node
  if (!isObject(patternProperties) || Object.keys(patternProperties).every(isReadable)) return
  const readable = Object.entries(patternProperties).filter(([pattern]) => isReadable(pattern))
  node['patternProperties'] = Object.fromEntries(readable)
  // It applies to names that match no pattern.
  delete node['additionalProperties']
}

function isReadable(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}
