// Rewrites a schema for Ajv: only keywords of the dialect, and each `$ref` leads to `$defs` of the
// root. A schema with two dynamic scopes becomes two definitions.
// https://json-schema.org/draft/2020-12/json-schema-core, section 8.2.3.2.
import type { Dialect } from './dialect.ts'
import { isNode, KEYWORDS, NAMED, type Node, type Place } from './keywords.ts'
import { type DynamicScope, References, type SchemaResource, type SchemaTarget, widenScope } from './references.ts'

/** Maximum number of schemas after the rewrite. */
export const MAX_LOWERED = 20_000

/** Added to `type: integer`: the number must be the one that the client sent. */
export const EXACT = 'toolrack:exact'

/** Added to a definition that refers to others; counts how often a check enters it. */
export const ENTRY = 'toolrack:entry'

export interface Lowered {
  readonly schema: Node
  /** Whether a definition refers to others, so that a check may enter it many times. */
  readonly isNested: boolean
  /** Schemas that decide which members are evaluated, with pointers; undefined without `unevaluated*`. */
  readonly branches: ReadonlyMap<Node, string> | undefined
}

export class LoweringError extends Error {
  override name = 'LoweringError'
}

interface Position {
  readonly resource: SchemaResource
  readonly scope: DynamicScope
}

/** @throws UnresolvedReference, LoweringError if the result is too large or no check would end */
export function lower(dialect: Dialect, document: Node | boolean): Lowered {
  const lowered = new Lowering(dialect, document).run()
  assertTerminates(lowered.schema)
  return lowered
}

class Lowering {
  readonly #dialect: Dialect
  readonly #references: References
  readonly #tracksEvaluated: boolean
  readonly #definitions: Record<string, unknown> = {}
  readonly #branches = new Map<Node, string>()
  readonly #targets: { readonly schema: unknown; readonly position: Position }[] = []
  readonly #numbers = new Map<unknown, Map<string, number>>()
  #count = 0
  #isNested = false

  constructor(dialect: Dialect, document: Node | boolean) {
    this.#dialect = dialect
    this.#references = new References(dialect, document)
    this.#tracksEvaluated = dialect === '2020-12' && mentions(document, UNEVALUATED)
  }

  run(): Lowered {
    const { schema, resource } = this.#references.root
    const root = this.#lower(schema, { resource, scope: widenScope(new Map(), resource) })
    for (let number = 0; number < this.#targets.length; number++) {
      const target = this.#targets[number]!
      this.#define(`r${number}`, this.#lower(target.schema, target.position))
    }
    return {
      schema: { ...(isNode(root) ? root : { allOf: [root] }), $defs: this.#definitions },
      isNested: this.#isNested,
      branches: this.#tracksEvaluated ? this.#branches : undefined,
    }
  }

  // Branches of a union may enter the same definition: entries can double at each level of a value.
  #define(name: string, lowered: unknown): void {
    const isNested = mentions(lowered, REFERENCE)
    this.#isNested ||= isNested
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    this.#definitions[name] = isNested ? { if: { [ENTRY]: true }, then: lowered, else: false } : lowered
  }

  #lower(schema: unknown, outer: Position): unknown {
    if (!isNode(schema)) return schema
    if (++this.#count > MAX_LOWERED) throw new LoweringError(`its references become more than ${MAX_LOWERED} schemas`)
    const position = this.#enter(schema, outer)
    const references = this.#lowerReferences(schema, position)
    // In draft-07, `$ref` hides its siblings.
    if (this.#dialect === 'draft-07' && references.length > 0) return references[0]
    const lowered = Object.fromEntries(this.#lowerKeywords(schema, position))
    return translateForAjv(references.length === 1 ? { ...lowered, ...references[0] } : addAll(lowered, references))
  }

  *#lowerKeywords(schema: Node, position: Position): Generator<[keyword: string, value: unknown]> {
    for (const [keyword, value] of Object.entries(schema)) {
      if (!Object.hasOwn(KEYWORDS[this.#dialect], keyword)) continue
      const place = KEYWORDS[this.#dialect][keyword] as Place
      if (place === 'store' || place === 'unchecked') continue
      yield [keyword, place === 'data' ? value : this.#lowerPlace(keyword, value, position)]
    }
  }

  #lowerPlace(keyword: string, value: unknown, position: Position): unknown {
    const lowerOne = (schema: unknown) => {
      const lowered = this.#lower(schema, position)
      if (this.#tracksEvaluated && CONDITIONAL.has(keyword)) this.#addBranch(lowered)
      return lowered
    }
    if (Array.isArray(value)) return value.map(lowerOne)
    if (!NAMED.has(keyword)) return lowerOne(value)
    const entries = Object.entries(value as Node)
    return Object.fromEntries(entries.map(([name, each]) => [name, Array.isArray(each) ? each : lowerOne(each)]))
  }

  #lowerReferences(schema: Node, position: Position): { readonly $ref: string }[] {
    const { $ref, $dynamicRef } = schema
    const references: { readonly $ref: string }[] = []
    if (typeof $ref === 'string') {
      references.push(this.#refer(this.#references.resolve($ref, position.resource), position))
    }
    if (typeof $dynamicRef === 'string' && this.#dialect === '2020-12') {
      const name = this.#references.findDynamicName($dynamicRef, position.resource)
      const outermost = name === undefined ? undefined : position.scope.get(name)
      references.push(this.#refer(outermost ?? this.#references.resolve($dynamicRef, position.resource), position))
    }
    return references
  }

  #refer({ schema, resource }: SchemaTarget, from: Position): { readonly $ref: string } {
    const scope = widenScope(from.scope, resource)
    const key = [...scope].map(([name, target]) => `${name} ${target.resource.uri}`).join('\n')
    const numbers = this.#numbers.get(schema) ?? new Map<string, number>()
    this.#numbers.set(schema, numbers)
    const number = numbers.get(key) ?? this.#targets.push({ schema, position: { resource, scope } }) - 1
    numbers.set(key, number)
    return { $ref: `#/$defs/r${number}` }
  }

  #enter(schema: Node, outer: Position): Position {
    const resource = this.#references.getResource(schema, outer.resource)
    return resource === outer.resource ? outer : { resource, scope: widenScope(outer.scope, resource) }
  }

  #addBranch(lowered: unknown): void {
    if (!isNode(lowered)) return
    const name = `b${this.#branches.size}`
    this.#definitions[name] = lowered
    this.#branches.set(lowered, `#/$defs/${name}`)
  }
}

const REFERENCE = new Set(['$ref'])
const UNEVALUATED = new Set(['unevaluatedItems', 'unevaluatedProperties'])
/** The validity of a schema under these keywords decides which members are evaluated. */
const CONDITIONAL = new Set(['anyOf', 'oneOf', 'if', 'contains', ...UNEVALUATED])
/** These keywords apply a schema to the same value. */
const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies']

function mentions(value: unknown, keys: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, member]) => keys.has(key) || mentions(member, keys))
}

const addAll = (node: Node, schemas: readonly unknown[]): Node =>
  schemas.length === 0 ? node : { ...node, allOf: [...((node['allOf'] as unknown[]) ?? []), ...schemas] }

/** Rewrites keywords that Ajv ignores. */
function translateForAjv(node: Node): Node {
  const { enum: values, type, properties, patternProperties } = node
  let completed = node
  if (Array.isArray(values) && values.length === 0) {
    const { enum: _, ...rest } = completed
    completed = addAll(rest, [false])
  }
  if (type === 'integer' || (Array.isArray(type) && type.includes('integer') && !type.includes('number'))) {
    completed = { ...completed, [EXACT]: true }
  }
  if (isNode(properties) && Object.hasOwn(properties, PROTO)) {
    completed = addAll(completed, [{ patternProperties: { [PROTO_PATTERN]: properties[PROTO] } }])
    completed = withPattern(completed, PROTO_PATTERN, true)
  }
  if (isNode(patternProperties) && Object.hasOwn(patternProperties, PROTO)) {
    completed = withPattern(completed, `(?:${PROTO})`, patternProperties[PROTO])
  }
  // After the check of a tuple, Ajv skips `contains` if the list is empty.
  if (node['contains'] !== undefined && node['minContains'] !== 0 && isTuple(node))
    completed = addAll(completed, [{ minItems: 1 }])
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const named = node[keyword]
    if (isNode(named) && Object.hasOwn(named, PROTO)) throw new LoweringError(`${keyword}: ${PROTO} is not supported`)
  }
  return completed
}

const isTuple = ({ prefixItems, items }: Node) => prefixItems !== undefined || Array.isArray(items)

/** Ajv skips keys with this name. */
const PROTO = '__proto__'
const PROTO_PATTERN = `^${PROTO}$`

function withPattern(node: Node, pattern: string, schema: unknown): Node {
  const patterns = node['patternProperties'] as Node | undefined
  return { ...node, patternProperties: { [pattern]: schema, ...patterns } }
}

/** @throws LoweringError if a schema applies itself to the same value */
function assertTerminates(root: Node): void {
  const definitions = root['$defs'] as Node
  const done = new Set<unknown>()
  const way = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (!isNode(node) || done.has(node)) return
    if (way.has(node)) throw new LoweringError('a reference leads back to itself, so that no check would end')
    way.add(node)
    for (const keyword of IN_PLACE) findInPlace(keyword, node[keyword], definitions).forEach(visit)
    way.delete(node)
    done.add(node)
  }
  for (const node of [root, ...Object.values(definitions)]) visit(node)
}

function findInPlace(keyword: string, value: unknown, definitions: Node): readonly unknown[] {
  if (value === undefined) return []
  if (keyword === '$ref') return [definitions[(value as string).slice('#/$defs/'.length)]]
  if (Array.isArray(value)) return value
  return NAMED.has(keyword) ? Object.values(value as Node).filter(isNode) : [value]
}
