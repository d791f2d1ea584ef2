// Rewrites a schema with identifiers (`$id`, `$anchor`, `$dynamicRef`) to one document without them:
// what is referred to stands in `$defs`, and each reference is `#` or `#/$defs/NAME`. Clients, forms and
// OpenAPI follow no others. https://json-schema.org/draft/2020-12/json-schema-core, sections 8.2 and 9.3.
import { DefinitionNames } from './definition-names.ts'
import { type Dialect, findDialect } from './dialect.ts'
import { findSubschemas, isNode, KEYWORDS, NAMED, type Node } from './keywords.ts'
import { LoweringError, MAX_LOWERED } from './lower.ts'
import { encodeFragment, escapeKey } from './pointer.ts'
import { type DynamicScope, References, type SchemaResource, type SchemaTarget, widenScope } from './references.ts'
import type { Schema } from './validator.ts'

const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor']
const MARKS = [...IDENTIFIERS, '$dynamicRef']

/**
 * @returns an equal schema; `schema` itself if it has no identifiers, and if it is broken or would become
 *   too large: it is compiled later, which says so
 */
export function toLocalReferences(schema: Schema): Schema {
  const dialect = findDialect(schema['$schema'])
  if (dialect === undefined || !hasIdentifiers(dialect, schema)) return schema
  try {
    const references = new References(dialect, schema)
    const plan = new Localising(dialect, references)
    plan.run(schema)
    return new Localising(dialect, references, plan.targets).run(schema)
  } catch {
    return schema
  }
}

/** A tool as a server lists it, with both schemas without identifiers. Those of Toolrack have none. */
export function withLocalReferences<T extends { readonly inputSchema: unknown; readonly outputSchema?: unknown }>(
  tool: T,
): T {
  const { inputSchema, outputSchema } = tool
  const toLocal = (schema: unknown) => (isNode(schema) ? toLocalReferences(schema) : schema)
  return {
    ...tool,
    inputSchema: toLocal(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: toLocal(outputSchema) }),
  }
}

function hasIdentifiers(dialect: Dialect, schema: unknown): boolean {
  if (!isNode(schema)) return false
  if (MARKS.some(mark => typeof schema[mark] === 'string')) return true
  if (typeof schema['$ref'] === 'string' && !schema['$ref'].startsWith('#')) return true
  return findSubschemas(dialect, schema).some(each => hasIdentifiers(dialect, each.schema))
}

interface Position {
  readonly resource: SchemaResource
  readonly scope: DynamicScope
}

/** By schema, and by what decides its dynamic references: a schema in two dynamic scopes has two. */
type Targets = ReadonlyMap<unknown, ReadonlySet<string>>

/** One pass over the document. The first finds the targets, the second puts them into `$defs`. */
class Localising {
  readonly targets = new Map<unknown, Set<string>>()
  readonly #dialect: Dialect
  readonly #references: References
  readonly #known: Targets
  readonly #dynamic: ReadonlySet<unknown>
  readonly #names: DefinitionNames
  readonly #open: { readonly name: string; readonly schema: unknown; readonly position: Position }[] = []
  readonly #places = new Map<unknown, Map<string, string>>()
  readonly #store: '$defs' | 'definitions'
  #count = 0

  constructor(dialect: Dialect, references: References, known: Targets = new Map()) {
    this.#dialect = dialect
    this.#references = references
    this.#known = known
    this.#dynamic = findDynamic(dialect, references)
    this.#names = new DefinitionNames(references.root.schema as Node)
    this.#store = dialect === 'draft-07' ? 'definitions' : '$defs'
  }

  run(document: Schema): Schema {
    const { schema, resource } = this.#references.root
    const position = { resource, scope: widenScope(new Map(), resource) }
    this.#places.set(schema, new Map([[this.#getKey(schema, position), '#']]))
    const root = this.#rewrite(document, position)
    const definitions: [name: string, schema: unknown][] = []
    for (const { name, schema: target, position: at } of this.#open) definitions.push([name, this.#rewrite(target, at)])
    const { $schema } = document
    return {
      ...($schema !== undefined && { $schema }),
      ...root,
      ...(definitions.length > 0 && { [this.#store]: Object.fromEntries(definitions) }),
    }
  }

  /** In its place, a schema that is referred to leaves a reference. */
  #visit(schema: unknown, outer: Position): unknown {
    if (!isNode(schema)) return schema
    const position = this.#enter(schema, outer)
    const first = this.#references.findFirst(schema, position.resource)
    const isTarget = this.#known.get(first)?.has(this.#getKey(first, position)) === true
    return isTarget
      ? this.#refer({ schema: first, resource: position.resource }, outer)
      : this.#rewrite(schema, position)
  }

  #rewrite(schema: unknown, position: Position): Node {
    if (!isNode(schema)) return {}
    if (++this.#count > MAX_LOWERED) throw new LoweringError(`its references become more than ${MAX_LOWERED} schemas`)
    const references = this.#rewriteReferences(schema, position)
    const entries = Object.entries(schema).filter(([keyword]) => this.#isKept(keyword, schema))
    const others = Object.fromEntries(
      entries.map(([keyword, value]) => [keyword, this.#rewriteValue(keyword, value, position)]),
    )
    const [first, ...rest] = references.filter(each => Object.keys(each).length > 0)
    if (first === undefined) return others
    // Beside a schema of its own, a reference to `false` is a part.
    return Object.keys(first).some(keyword => Object.hasOwn(others, keyword))
      ? withParts(others, [first, ...rest])
      : withParts({ ...first, ...others }, rest)
  }

  #isKept(keyword: string, schema: Node): boolean {
    if (IDENTIFIERS.includes(keyword) || keyword === '$schema' || keyword === '$ref') return false
    if (keyword === '$dynamicRef') return this.#dialect === 'draft-07'
    const place = Object.hasOwn(KEYWORDS[this.#dialect], keyword) ? KEYWORDS[this.#dialect][keyword] : undefined
    // In draft-07, `$ref` hides its siblings.
    return place !== 'store' && !(place !== undefined && this.#dialect === 'draft-07' && '$ref' in schema)
  }

  #rewriteValue(keyword: string, value: unknown, position: Position): unknown {
    const place = Object.hasOwn(KEYWORDS[this.#dialect], keyword) ? KEYWORDS[this.#dialect][keyword] : 'data'
    if (place === 'data') return value
    if (Array.isArray(value)) return value.map(each => this.#visit(each, position))
    if (!NAMED.has(keyword) || !isNode(value)) return this.#visit(value, position)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#visit(each, position)]))
  }

  #rewriteReferences({ $ref, $dynamicRef }: Node, position: Position): Node[] {
    const references: Node[] = []
    if (typeof $ref === 'string')
      references.push(this.#refer(this.#references.resolve($ref, position.resource), position))
    if (typeof $dynamicRef === 'string' && this.#dialect === '2020-12') {
      const name = this.#references.findDynamicName($dynamicRef, position.resource)
      const outermost = name === undefined ? undefined : position.scope.get(name)
      references.push(this.#refer(outermost ?? this.#references.resolve($dynamicRef, position.resource), position))
    }
    return references
  }

  #refer({ schema, resource }: SchemaTarget, from: Position): Node {
    if (typeof schema === 'boolean') return schema ? {} : { not: {} }
    // Clients know the meta-schema by its name.
    const isWhole = schema === resource.root && from.scope.size === 0
    if (isWhole && this.#references.isMetaSchema(resource)) return { $ref: resource.uri }
    const position = { resource, scope: widenScope(from.scope, resource) }
    const key = this.#getKey(schema, position)
    const places = this.#places.get(schema) ?? new Map<string, string>()
    this.#places.set(schema, places)
    const known = places.get(key)
    if (known !== undefined) return { $ref: known }
    this.targets.set(schema, (this.targets.get(schema) ?? new Set()).add(key))
    const name = this.#names.add(schema, resource)
    this.#open.push({ name, schema, position })
    const place = encodeFragment(`#/${this.#store}/${escapeKey(name)}`)
    places.set(key, place)
    return { $ref: place }
  }

  #enter(schema: Node, outer: Position): Position {
    const resource = this.#references.getResource(schema, outer.resource)
    return resource === outer.resource ? outer : { resource, scope: widenScope(outer.scope, resource) }
  }

  #getKey(schema: unknown, { scope }: Position): string {
    if (!this.#dynamic.has(schema)) return ''
    return [...scope].map(([name, target]) => `${name} ${target.resource.uri}`).join('\n')
  }
}

const withParts = (node: Node, parts: readonly Node[]): Node =>
  parts.length === 0 ? node : { ...node, allOf: [...((node['allOf'] as unknown[] | undefined) ?? []), ...parts] }

/** The schemas that may lead to a dynamic reference, so that their meaning depends on who refers to them. */
function findDynamic(dialect: Dialect, references: References): ReadonlySet<unknown> {
  const parents = new Map<unknown, unknown[]>()
  const dynamic: unknown[] = []
  const open: SchemaTarget[] = [references.root]
  for (const { schema, resource } of open) {
    if (!isNode(schema)) continue
    const { $ref, $dynamicRef } = schema
    const below = findSubschemas(dialect, schema).map(each => ({
      schema: each.schema,
      resource: references.getResource(each.schema, resource),
    }))
    for (const reference of [$ref, dialect === '2020-12' ? $dynamicRef : undefined])
      if (typeof reference === 'string') below.push(references.resolve(reference, resource))
    if (dialect === '2020-12' && typeof $dynamicRef === 'string') dynamic.push(schema)
    for (const child of below) {
      const known = parents.get(child.schema)
      if (known !== undefined) known.push(schema)
      else parents.set(child.schema, [schema])
      if (known === undefined && child.schema !== references.root.schema) open.push(child)
    }
  }
  const found = new Set(dynamic)
  for (const each of found) for (const parent of parents.get(each) ?? []) found.add(parent)
  return found
}
