// Schemas of tools as components of an OpenAPI document. They get its dialect (2020-12), and lose
// parts that linters and generators do not accept. Each target of a reference becomes a separate
// component, because generators find no others. Each schema accepts the same values as before.
// OpenAPI 3.1, "Schema Object".

import { findDialect } from '@toolrack/json-schema/dialect'
import { KEYWORDS } from '@toolrack/json-schema/keywords'
import { decodeFragment, escapeKey } from '@toolrack/json-schema/pointer'
import { schemaMembers } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { normaliseNode, toObjectSchema } from './openapi-node.ts'

type Members = Record<string, unknown>

/** Schemas by their name in `components`. */
export type Components = Readonly<Record<string, JsonObject>>

const KNOWN = new Set([
  ...Object.keys(KEYWORDS['2020-12']),
  ...['$ref', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated', 'format'],
  ...['readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema'],
])
/** Their schemas become components. */
const STORES = new Set(['$defs', 'definitions'])
/** They contain one schema, which cannot be a boolean in OpenAPI. */
const SINGLE = new Set(['items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'contentSchema'])
const COMPOSITIONS = new Set(['allOf', 'anyOf', 'oneOf'])
/** The only keywords that draft-07 reads beside a reference. */
const BESIDE_REFERENCE = new Set(['$ref', '$comment', 'title', 'description'])

const PLACE = '#/components/schemas/'

/**
 * @param schema as a tool lists it; its references are pointers
 * @returns the schema under its name, and the schemas that it refers to
 */
export function toComponents(schema: JsonObject, name: string): Components {
  return new Placing(schema, name).run()
}

/** The position of a part in the tool's schema. */
interface Position {
  readonly pointer: string
  readonly isMap: boolean
  /** Properties that schemas around this one declare for the same value. */
  readonly declared: readonly string[]
}

class Placing {
  readonly #schema: JsonObject
  readonly #isOld: boolean
  readonly #components: Record<string, JsonObject> = {}
  /** The name of each part that is the target of a reference, by its pointer. */
  readonly #targets = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(schema: JsonObject, name: string) {
    this.#schema = schema
    this.#isOld = findDialect(schema['$schema']) === 'draft-07'
    this.#targets.set('#', name)
    this.#findTargets(schema, name)
  }

  run(): Components {
    this.#place(this.#schema, { pointer: '#', isMap: false, declared: [] })
    return this.#components
  }

  #findTargets(node: unknown, name: string, isMap = false): void {
    if (typeof node !== 'object' || node === null) return
    const { $ref } = node as { $ref?: unknown }
    if (!isMap && typeof $ref === 'string' && $ref.startsWith('#')) this.#nameTarget(decodeFragment($ref), name)
    for (const member of schemaMembers(node, isMap)) this.#findTargets(member.value, name, member.isMap)
  }

  #nameTarget(pointer: string, name: string): void {
    if (this.#targets.has(pointer)) return
    const word = pointer.slice(pointer.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_')
    // Only names for the arguments and results of tools end so.
    const last = word === 'input' || word === 'output' ? `${word}_` : word
    let free = `${name}.${last}`
    for (let ordinal = 2; this.#taken.has(free); ordinal++) free = `${name}.${last}_${ordinal}`
    this.#taken.add(free)
    this.#targets.set(pointer, free)
  }

  #place(value: unknown, position: Position): unknown {
    const placed = this.#placePart(value, position)
    const name = this.#targets.get(position.pointer)
    if (name === undefined) return placed
    this.#components[name] = toObjectSchema(placed) as JsonObject
    return { $ref: PLACE + name }
  }

  #placePart(value: unknown, position: Position): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value))
      return value.map((each, index) => toObjectSchema(this.#place(each, below(position, String(index)))))
    if (!position.isMap) return this.#placeNode(value as Members, position)
    const members = Object.entries(value).map(([name, each]) => {
      return [name, toObjectSchema(this.#place(each, { ...below(position, name), declared: [] }))]
    })
    return Object.fromEntries(members)
  }

  #placeNode(node: Members, position: Position): Members {
    const names = this.#rename(node)
    const declared = [...position.declared, ...Object.keys(isObject(node['properties']) ? node['properties'] : {})]
    const maps = new Map(schemaMembers(node, false).map(({ key, isMap }) => [key, isMap]))
    const members = Object.entries(node).flatMap(([keyword, value]) => {
      const isMap = keyword === 'dependentRequired' ? undefined : maps.get(keyword)
      const inner = {
        ...below(position, keyword),
        isMap: isMap === true,
        declared: COMPOSITIONS.has(keyword) ? declared : [],
      }
      // Also for removed parts, since references may lead into them.
      const placed = isMap === undefined ? value : this.#place(value, inner)
      const name = names(keyword)
      return name === undefined ? [] : [[name, SINGLE.has(keyword) ? toObjectSchema(placed) : placed]]
    })
    const placed = normaliseNode(Object.fromEntries(members), position.declared)
    const { $ref } = placed
    const target = typeof $ref === 'string' ? this.#targets.get(decodeFragment($ref)) : undefined
    return target === undefined ? placed : { ...placed, $ref: PLACE + target }
  }

  /**
   * @returns a function that gives a keyword its name in the document; undefined removes it, such as
   *   identifiers and unknown keywords
   */
  #rename(node: Members): (keyword: string) => string | undefined {
    const isTuple = this.#isOld && Array.isArray(node['items'])
    const isReference = this.#isOld && '$ref' in node
    return keyword => {
      if (STORES.has(keyword) || (isReference && !BESIDE_REFERENCE.has(keyword))) return undefined
      if (isTuple && keyword === 'items') return 'prefixItems'
      if (this.#isOld && keyword === 'additionalItems') return isTuple ? 'items' : undefined
      return KNOWN.has(keyword) || keyword.startsWith('x-') ? keyword : undefined
    }
  }
}

const below = (position: Position, key: string): Position => ({
  ...position,
  pointer: `${position.pointer}/${escapeKey(key)}`,
  isMap: false,
})
