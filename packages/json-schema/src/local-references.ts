// Rewrites a schema with identifiers (`$id`, `$anchor`, `$dynamicRef`) to one document without them:
// targets are in `$defs`, and references are `#` or `#/$defs/NAME`. Clients, forms and OpenAPI
// follow only those. https://json-schema.org/draft/2020-12/json-schema-core, sections 8.2 and 9.3.
import { DefinitionNames } from './definition-names.ts'
import { type Dialect, findDialect } from './dialect.ts'
import { findSubschemas, isNode, KEYWORDS, mapSubschemas, type Node } from './keywords.ts'
import { LoweringError, MAX_LOWERED } from './lower.ts'
import { encodeFragment, escapeKey } from './pointer.ts'
import { type DynamicScope, References, type SchemaResource, type SchemaTarget, widenScope } from './references.ts'
import { IDENTIFIERS, withoutRootIdentifier } from './root-identifier.ts'
import type { Schema } from './validator.ts'

/**
 * Keywords that describe the position of a schema. A reference there keeps them for forms and
 * models.
 */
const ANNOTATIONS = ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples']

/**
 * Only valid in its place, so the schemas around it stay. Spec 2026-07-28: server/tools, "x-mcp-
 * header".
 */
const FIXED = '"x-mcp-header":'

/**
 * @returns an equivalent schema. `schema` itself if it has no identifiers, is broken, or would
 *   become too large: it is compiled later, which reports the error
 */
export function toLocalReferences(schema: Schema): Schema {
  const dialect = findDialect(schema['$schema'])
  if (dialect === undefined) return schema
  try {
    if (!isToChange(dialect, schema)) return schema
    const references = new References(dialect, schema)
    const plan = new Localising(dialect, references)
    return withoutRootIdentifier(dialect, references, schema) ?? plan.follow(schema)
  } catch {
    return schema
  }
}

/** A listed tool with both schemas without identifiers. Tools of Toolrack have none. */
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

/** An anchor without references has no effect, and stays as its author wrote it. */
function isToChange(dialect: Dialect, schema: unknown): boolean {
  if (!isNode(schema)) return false
  const { $id: id, $ref: reference, $dynamicRef: dynamic } = schema
  if (typeof id === 'string' || typeof dynamic === 'string') return true
  if (typeof reference === 'string' && !/^#(?:$|\/)/.test(reference)) return true
  return findSubschemas(dialect, schema).some(each => isToChange(dialect, each.schema))
}

interface Position {
  readonly resource: SchemaResource
  readonly scope: DynamicScope
  /** The position of the schema in the result; undefined within a definition. */
  readonly pointer: string | undefined
}

/** A schema outside of definitions, in the first pass. */
interface Place {
  readonly schema: unknown
  /** The first of several equal schemas with the same name. */
  readonly first: unknown
  readonly key: string
  readonly pointer: string
  readonly parent: unknown
}

/**
 * By schema, and by what decides its dynamic references: in two dynamic scopes, a schema has two
 * results.
 */
type ByScope<T> = Map<unknown, Map<string, T>>

/** One pass over the document. The first finds the targets, the second puts them into `$defs`. */
class Localising {
  /** The targets of references, and whether a reference uses a name. */
  readonly #targets: ByScope<boolean> = new Map()
  readonly #inPlace: Place[] = []
  readonly #dialect: Dialect
  readonly #references: References
  readonly #moved: ByScope<boolean>
  readonly #dynamic: ReadonlySet<unknown>
  readonly #names: DefinitionNames
  readonly #open: { readonly name: string; readonly schema: unknown; readonly position: Position }[] = []
  readonly #pointers: ByScope<string> = new Map()
  readonly #store: '$defs' | 'definitions'
  #count = 0

  constructor(dialect: Dialect, references: References, plan?: Localising) {
    this.#dialect = dialect
    this.#references = references
    this.#dynamic = plan === undefined ? findDynamic(dialect, references) : plan.#dynamic
    this.#moved = plan === undefined ? new Map() : plan.#targets
    this.#names = new DefinitionNames(references.root.schema as Node)
    this.#store = dialect === 'draft-07' ? 'definitions' : '$defs'
    if (plan !== undefined) plan.#keepInPlace(this.#pointers)
  }

  /** Makes the second pass. */
  follow(document: Schema): Schema {
    this.run(document)
    return new Localising(this.#dialect, this.#references, this).run(document)
  }

  run(document: Schema): Schema {
    const { schema, resource } = this.#references.root
    const position = { resource, scope: widenScope(new Map(), resource), pointer: '#' }
    set(this.#pointers, schema, this.#getKey(schema, position), '#')
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

  /**
   * Some targets are only reached by pointers, as their authors wrote them, and some are only valid
   * in their place. Those stay, unless a schema around them moves.
   */
  #keepInPlace(pointers: ByScope<string>): void {
    const root = this.#references.root.schema
    const hasFixed = JSON.stringify(root).includes(FIXED)
    const kept = new Set<unknown>([root])
    for (const { schema, first, key, pointer, parent } of this.#inPlace) {
      if (!kept.has(parent)) continue
      const isNamed = this.#targets.get(first)?.get(key) === true
      if (isNamed && !(schema === first && hasFixed && JSON.stringify(schema).includes(FIXED))) continue
      if (schema !== first && this.#targets.get(first)?.has(key)) continue
      kept.add(schema)
      if (this.#targets.get(schema)?.has(key)) set(pointers, schema, key, encodeFragment(pointer))
    }
  }

  /** Leaves a reference in place of a schema that moves. */
  #visit(schema: unknown, outer: Position, parent: Node, below: string): unknown {
    if (!isNode(schema)) return schema
    const position = this.#enter(schema, outer, below)
    const first = this.#references.findFirst(schema, position.resource)
    const key = this.#getKey(first, position)
    const { pointer } = position
    if (pointer !== undefined) this.#inPlace.push({ schema, first, key, pointer, parent })
    const known = schema === first ? this.#pointers.get(schema)?.get(key) : undefined
    const stays = known !== undefined && pointer !== undefined && known === encodeFragment(pointer)
    return stays || this.#moved.get(first)?.has(key) !== true
      ? this.#rewrite(schema, position)
      : { ...this.#refer({ schema: first, resource: position.resource }, outer), ...pick(schema, ANNOTATIONS) }
  }

  #rewrite(schema: unknown, position: Position): Node {
    if (!isNode(schema)) return {}
    if (++this.#count > MAX_LOWERED) throw new LoweringError(`its references become more than ${MAX_LOWERED} schemas`)
    const references = this.#rewriteReferences(schema, position)
    const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => this.#isKept(keyword, schema)))
    const others = mapSubschemas(this.#dialect, kept, (each, below) => this.#visit(each, position, schema, below))
    const [first, ...rest] = references.filter(each => Object.keys(each).length > 0)
    if (first === undefined) return others
    // Beside its own schema, a reference to `false` is a part.
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

  #rewriteReferences({ $ref, $dynamicRef }: Node, position: Position): Node[] {
    const references: Node[] = []
    if (typeof $ref === 'string') {
      const target = this.#references.resolve($ref, position.resource)
      references.push(this.#refer(target, position, !this.#isPointer($ref, target)))
    }
    if (typeof $dynamicRef === 'string' && this.#dialect === '2020-12') {
      const name = this.#references.findDynamicName($dynamicRef, position.resource)
      const outermost = name === undefined ? undefined : position.scope.get(name)
      references.push(this.#refer(outermost ?? this.#references.resolve($dynamicRef, position.resource), position))
    }
    return references
  }

  #isPointer = (reference: string, { resource }: SchemaTarget): boolean =>
    /#\//.test(reference) && resource === this.#references.root.resource

  #refer({ schema, resource }: SchemaTarget, from: Position, isNamed = true): Node {
    if (typeof schema === 'boolean') return schema ? {} : { not: {} }
    // Clients know the meta-schema by its name.
    const isWhole = schema === resource.root && from.scope.size === 0
    if (isWhole && this.#references.isMetaSchema(resource)) return { $ref: resource.uri }
    const position = { resource, scope: widenScope(from.scope, resource), pointer: undefined }
    const key = this.#getKey(schema, position)
    set(this.#targets, schema, key, isNamed || this.#targets.get(schema)?.get(key) === true)
    const known = this.#pointers.get(schema)?.get(key)
    if (known !== undefined) return { $ref: known }
    const name = this.#names.add(schema, resource)
    this.#open.push({ name, schema, position })
    const pointer = encodeFragment(`#/${this.#store}/${escapeKey(name)}`)
    set(this.#pointers, schema, key, pointer)
    return { $ref: pointer }
  }

  #enter(schema: Node, outer: Position, below: string): Position {
    const resource = this.#references.getResource(schema, outer.resource)
    const pointer = outer.pointer === undefined ? undefined : `${outer.pointer}/${below}`
    return { resource, scope: resource === outer.resource ? outer.scope : widenScope(outer.scope, resource), pointer }
  }

  #getKey(schema: unknown, { scope }: Position): string {
    if (!this.#dynamic.has(schema)) return ''
    return [...scope].map(([name, target]) => `${name} ${target.resource.uri}`).join('\n')
  }
}

function set<T>(map: ByScope<T>, schema: unknown, key: string, value: T): void {
  const known = map.get(schema)
  if (known === undefined) map.set(schema, new Map([[key, value]]))
  else known.set(key, value)
}

const pick = (schema: Node, keywords: readonly string[]): Node =>
  Object.fromEntries(keywords.filter(keyword => Object.hasOwn(schema, keyword)).map(each => [each, schema[each]]))

const withParts = (node: Node, parts: readonly Node[]): Node =>
  parts.length === 0 ? node : { ...node, allOf: [...((node['allOf'] as unknown[] | undefined) ?? []), ...parts] }

/**
 * The schemas that may lead to a dynamic reference: their meaning depends on the schema that refers
 * to them.
 */
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
