// Resolves `$ref` and `$dynamicRef` in the document and in the meta-schema; fetches nothing.
// https://json-schema.org/draft/2020-12/json-schema-core, sections 8.2 and 9; draft-07, section 8.
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { type Dialect, findDialect } from './dialect.ts'
import { findSubschemas, isNode, type Node } from './keywords.ts'
import { readPointer } from './pointer.ts'

/** A schema with its own identifier, and its anchors. */
export interface SchemaResource {
  readonly uri: string
  readonly root: unknown
  readonly anchors: Map<string, unknown>
  readonly dynamicAnchors: Map<string, SchemaTarget>
}

export interface SchemaTarget {
  readonly schema: unknown
  readonly resource: SchemaResource
}

/** The outermost dynamic anchor of each name, on the way to a schema. */
export type DynamicScope = ReadonlyMap<string, SchemaTarget>

/** Enters a resource. Dynamic anchors of outer resources take precedence. */
export function widenScope(scope: DynamicScope, { dynamicAnchors }: SchemaResource): DynamicScope {
  return dynamicAnchors.size === 0 ? scope : new Map([...dynamicAnchors, ...scope])
}

export class UnresolvedReference extends Error {
  override name = 'UnresolvedReference'
}

const NAMELESS = 'schema:///'
const LOCAL_FIX = 'write the schema into $defs, and refer to #/$defs/NAME'

const META_SCHEMA_FILES: Readonly<Record<Dialect, readonly string[]>> = {
  '2020-12': [
    'json-schema-2020-12/schema',
    ...['applicator', 'content', 'core', 'format-annotation', 'meta-data', 'unevaluated', 'validation'].map(
      vocabulary => `json-schema-2020-12/meta/${vocabulary}`,
    ),
  ],
  'draft-07': ['json-schema-draft-07'],
}

const requireJson = createRequire(import.meta.url)

export class References {
  readonly root: SchemaTarget
  readonly #dialect: Dialect
  readonly #resources = new Map<string, SchemaResource>()
  readonly #roots = new Map<unknown, SchemaResource>()
  /** The meta-schema's resources, once a reference leads there. */
  #metaSchemas: ReadonlySet<SchemaResource> | undefined

  /** @throws UnresolvedReference for invalid or duplicate identifiers and broken references */
  constructor(dialect: Dialect, document: unknown) {
    this.#dialect = dialect
    const resource = createResource(NAMELESS, document)
    this.#resources.set(NAMELESS, resource)
    this.#index(document, resource, '#')
    this.root = { schema: document, resource: this.getResource(document, resource) }
    this.#assertReferences(document, resource, '#')
  }

  /** The schema's own resource if it has an identifier, else the outer one. */
  getResource(schema: unknown, outer: SchemaResource): SchemaResource {
    return this.#roots.get(schema) ?? outer
  }

  /** The target of references among several equal schemas with the same name. */
  findFirst(schema: Node, resource: SchemaResource): unknown {
    if (this.#roots.has(schema)) return resource.root
    const names = [schema['$anchor'], schema['$dynamicAnchor']].filter(name => typeof name === 'string')
    const anchored = names.map(name => resource.anchors.get(name)).find(each => each !== undefined)
    return this.#dialect === '2020-12' && anchored !== undefined ? anchored : schema
  }

  isMetaSchema(resource: SchemaResource): boolean {
    return this.#metaSchemas?.has(resource) === true
  }

  resolve(reference: string, from: SchemaResource): SchemaTarget {
    const { uri, fragment } = resolveUri(reference, from)
    const resource = this.#find(uri)
    if (resource === undefined)
      throw new UnresolvedReference(`${quote(reference)} is not local; nothing is fetched: ${LOCAL_FIX}`)
    const target = fragment.startsWith('/') ? this.#follow(fragment, resource) : findByAnchor(fragment, resource)
    if (target === undefined || !isSchema(target.schema)) {
      throw new UnresolvedReference(`${quote(reference)} leads to no schema`)
    }
    return target
  }

  /** The anchor name that a `$dynamicRef` looks up; undefined if it acts as a `$ref`. */
  findDynamicName(reference: string, from: SchemaResource): string | undefined {
    const { fragment } = resolveUri(reference, from)
    return this.resolve(reference, from).resource.dynamicAnchors.has(fragment) ? fragment : undefined
  }

  #find(uri: string): SchemaResource | undefined {
    const known = this.#resources.get(uri)
    if (known !== undefined || this.#metaSchemas !== undefined || !mayBeMetaSchema(uri)) return known
    const own = new Set(this.#resources.values())
    for (const file of META_SCHEMA_FILES[this.#dialect]) {
      const document = requireJson(`ajv/dist/refs/${file}.json`) as Node
      this.#index(document, createResource(NAMELESS, document), '#')
    }
    this.#metaSchemas = new Set([...this.#resources.values()].filter(each => !own.has(each)))
    return this.#resources.get(uri)
  }

  #index(schema: unknown, outer: SchemaResource, pointer: string): void {
    if (!isNode(schema)) return
    if (schema['$schema'] !== undefined && findDialect(schema['$schema']) !== this.#dialect) {
      throw new UnresolvedReference(`${pointer}/$schema: another dialect within a schema is not supported`)
    }
    const resource = this.#identify(schema, outer, pointer)
    if (this.#dialect === '2020-12') this.#indexAnchors(schema, resource, pointer)
    for (const { pointer: below, schema: inner } of findSubschemas(this.#dialect, schema)) {
      this.#index(inner, resource, `${pointer}/${below}`)
    }
  }

  #indexAnchors(schema: Node, resource: SchemaResource, pointer: string): void {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = schema[keyword]
      if (typeof name !== 'string') continue
      assertSame(resource.anchors.get(name), schema, `${pointer}/${keyword}: ${quote(name)}`)
      resource.anchors.set(name, schema)
      if (keyword === '$dynamicAnchor') resource.dynamicAnchors.set(name, { schema, resource })
    }
  }

  #identify(schema: Node, outer: SchemaResource, pointer: string): SchemaResource {
    const id = schema['$id']
    // In draft-07, `$ref` hides its siblings.
    if (typeof id !== 'string' || (this.#dialect === 'draft-07' && '$ref' in schema)) return outer
    if (this.#dialect === 'draft-07' && id.startsWith('#')) {
      outer.anchors.set(id.slice(1), schema)
      return outer
    }
    const { uri } = resolveUri(id, outer)
    if (uri === outer.uri) return outer
    const known = this.#resources.get(uri)
    assertSame(known?.root, schema, `${pointer}/$id: ${quote(id)}`)
    const resource = known ?? createResource(uri, schema)
    this.#resources.set(uri, resource)
    this.#roots.set(schema, resource)
    return resource
  }

  #assertReferences(schema: unknown, outer: SchemaResource, pointer: string): void {
    if (!isNode(schema)) return
    const resource = this.getResource(schema, outer)
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = schema[keyword]
      if (typeof reference === 'string') this.#assertReference(reference, resource, `${pointer}/${keyword}`)
    }
    for (const { pointer: below, schema: inner } of findSubschemas(this.#dialect, schema)) {
      this.#assertReferences(inner, resource, `${pointer}/${below}`)
    }
  }

  #assertReference(reference: string, resource: SchemaResource, pointer: string): void {
    try {
      this.resolve(reference, resource)
    } catch (cause) {
      throw new UnresolvedReference(`${pointer}: ${(cause as Error).message}`, { cause })
    }
  }

  #follow(pointer: string, from: SchemaResource): SchemaTarget | undefined {
    let schema = from.root
    let resource = from
    for (const key of readPointer(pointer)) {
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined
      schema = (schema as Node)[key]
      resource = this.getResource(schema, resource)
    }
    return { schema, resource }
  }
}

function createResource(uri: string, root: unknown): SchemaResource {
  return { uri, root, anchors: new Map(), dynamicAnchors: new Map() }
}

// TypeBox copies a schema to several places, so equal schemas may share a name.
function assertSame(known: unknown, schema: Node, what: string): void {
  if (known === undefined || isDeepStrictEqual(known, schema)) return
  throw new UnresolvedReference(`${what} names two different schemas`)
}

function findByAnchor(anchor: string, resource: SchemaResource): SchemaTarget | undefined {
  if (anchor === '') return { schema: resource.root, resource }
  return resource.anchors.has(anchor) ? { schema: resource.anchors.get(anchor), resource } : undefined
}

function resolveUri(reference: string, from: SchemaResource): { uri: string; fragment: string } {
  try {
    // Most references are of this kind, and a base may be long.
    if (reference.startsWith('#')) return { uri: from.uri, fragment: decodeURIComponent(reference.slice(1)) }
    const url = new URL(reference, from.uri)
    const fragment = decodeURIComponent(url.hash.slice(1))
    url.hash = ''
    return { uri: url.href, fragment }
  } catch (cause) {
    throw new UnresolvedReference(`${quote(reference)} is not a URI reference that counts here`, { cause })
  }
}

const mayBeMetaSchema = (uri: string) => /^https?:\/\/json-schema\.org\//.test(uri)
const isSchema = (value: unknown) => typeof value === 'boolean' || isNode(value)
const quote = (text: string) => JSON.stringify(text)
