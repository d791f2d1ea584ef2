// Removes keywords that a reader lacks, or reads differently. The rest is never stricter than before.

import { META_SCHEMAS } from './dialect.ts'
import { mapMembers, schemaMembers } from './reader.ts'
import { isToldApart } from './unions.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

/**
 * For schemas that the server checks completely, and for clients: Ajv does not accept 19.99 as a
 * multiple of 0.01.
 *
 * @returns a schema that accepts every value that `schema` accepts
 */
export function withoutFractions(schema: Schema): Schema {
  return withoutKeywords(schema, { multipleOf: isFraction })
}

/**
 * The same for readers without the meta-schema of a dialect, to which an argument may refer.
 *
 * @returns a schema that accepts every value that `schema` accepts
 */
export function withoutMetaReferences(schema: Schema): Schema {
  const isMeta = (reference: unknown) => Object.values(META_SCHEMAS).includes(String(reference))
  if (!someSchema(schema, ({ $ref }) => isMeta($ref))) return schema
  const describe = (node: unknown, isMap = false): unknown => {
    if (typeof node !== 'object' || node === null) return node
    const copy = mapMembers(node, isMap, describe)
    return isMap || Array.isArray(copy) || !isMeta(copy['$ref']) ? copy : { ...JSON_SCHEMA, ...copy }
  }
  return withoutKeywords(describe(schema) as Schema, { $ref: isMeta })
}

/** Replaces a reference to the meta-schema. */
const JSON_SCHEMA = { description: 'A JSON Schema.', anyOf: [{ type: 'object' }, { type: 'boolean' }] }

export function someSchema(node: unknown, test: (schema: Members) => boolean, isMap = false): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (!isMap && !Array.isArray(node) && test(node as Members)) return true
  return schemaMembers(node, isMap).some(member => someSchema(member.value, test, member.isMap))
}

/** Tells for each keyword whether a value of it is left to the library. */
type Dropped = Readonly<Record<string, (value: unknown) => boolean>>

export const always = () => true
export const isFraction = (divisor: unknown) => !Number.isInteger(divisor)

/** @returns a schema that accepts every value that `schema` accepts */
export function withoutKeywords(schema: Schema, dropped: Dropped): Schema {
  const isDropped = (node: Members) => findDropped(node, dropped).length > 0
  if (!someSchema(schema, isDropped)) return schema
  return new Weakening(schema, { ...dropped, ...UNEVALUATED }).weaken(schema).schema as Schema
}

const findDropped = (node: Members, dropped: Dropped): string[] =>
  Object.keys(dropped).filter(keyword => node[keyword] !== undefined && dropped[keyword]!(node[keyword]))

interface Weakened {
  readonly schema: unknown
  readonly isWeaker: boolean
}

/** `unevaluated…` applies to the rest of other keywords, and fewer keywords leave more. */
const UNEVALUATED: Dropped = { unevaluatedProperties: always, unevaluatedItems: always }

/** Keywords that may be moved or removed. */
const MOVING = ['not', 'if', 'then', 'else', 'oneOf']

/** A schema in the view of a reader that does not see some of its keywords. */
export class Weakening {
  readonly #root: Schema
  readonly #dropped: Dropped
  readonly #ignored: readonly string[]

  /**
   * @param dropped keywords to remove
   * @param ignored keywords that stay for other readers
   */
  constructor(root: Schema, dropped: Dropped, ignored: readonly string[] = []) {
    this.#root = root
    this.#dropped = dropped
    this.#ignored = ignored
  }

  weaken(node: unknown, isMap = false): Weakened {
    if (typeof node !== 'object' || node === null) return { schema: node, isWeaker: false }
    const copy: Members | unknown[] = Array.isArray(node) ? [...node] : { ...node }
    const weaker = new Set<string>()
    for (const member of schemaMembers(node, isMap)) {
      const { schema, isWeaker } = this.weaken(member.value, member.isMap)
      ;(copy as Members)[member.key] = schema
      if (isWeaker) weaker.add(member.key)
    }
    if (isMap || Array.isArray(copy)) return { schema: copy, isWeaker: weaker.size > 0 }
    const isWeaker = this.#drop(copy) || weaker.size > 0
    this.#keepWeaker(copy, weaker)
    return { schema: copy, isWeaker }
  }

  /** @returns whether the node is weaker now, or may be */
  #drop(node: Members): boolean {
    const dropped = findDropped(node, this.#dropped)
    // It applies to names that match no pattern.
    if (dropped.includes('patternProperties')) dropped.push('additionalProperties')
    for (const keyword of dropped) delete node[keyword]
    // A reference may lead to a weaker schema, since something in the document is weaker.
    const isReference = '$ref' in node
    if (isReference && this.#leadsToDropped(String(node['$ref']))) delete node['$ref']
    return dropped.length > 0 || isReference || this.#ignored.some(keyword => keyword in node)
  }

  #leadsToDropped(reference: string): boolean {
    const dropped = ['patternProperties', ...Object.keys(UNEVALUATED)].filter(keyword => keyword in this.#dropped)
    if (dropped.includes('patternProperties')) dropped.push('additionalProperties')
    return reference.split('/').some(part => MOVING.includes(part) || dropped.includes(part))
  }

  // A weaker branch makes these keywords stricter.
  #keepWeaker(node: Members, weaker: ReadonlySet<string>): void {
    if (weaker.has('not')) delete node['not']
    if (weaker.has('contains')) delete node['maxContains']
    if (weaker.has('if')) for (const keyword of ['if', 'then', 'else']) delete node[keyword]
    if (weaker.has('oneOf') && !isToldApart(node['oneOf'], this.#root)) replaceOneOf(node)
  }
}

/** Any number of branches may then match a value. */
export function replaceOneOf(node: Members): void {
  const { oneOf: branches, anyOf, allOf } = node
  delete node['oneOf']
  if (anyOf === undefined) node['anyOf'] = branches
  else node['allOf'] = [...((allOf as unknown[] | undefined) ?? []), { anyOf: branches }]
}
