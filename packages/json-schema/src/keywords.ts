// The keywords of each dialect and the kind of their values. Other keywords are annotations.
// https://json-schema.org/draft/2020-12/json-schema-core, section 10; draft-07, sections 6 and 9.
import type { Dialect } from './dialect.ts'
import { escapeKey } from './pointer.ts'
import { isNode, type Node } from './reader.ts'

export { isNode, type Node } from './reader.ts'

/**
 * `data`: no schema. `schema`: one. `list`: an array. `map`: named ones. `items`: one or an array.
 * `dependencies`: named schemas or name lists. `store`: for references only. `unchecked`: unused.
 */
export type Place = 'data' | 'schema' | 'list' | 'map' | 'items' | 'dependencies' | 'store' | 'unchecked'

type Keywords = Readonly<Record<string, Place>>

const COMMON_KEYWORDS: Keywords = {
  ...places('data', 'type enum const format pattern required uniqueItems'),
  ...places('data', 'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength'),
  ...places('data', 'maxItems minItems maxProperties minProperties'),
  ...places('schema', 'additionalProperties propertyNames contains if then else not'),
  ...places('list', 'allOf anyOf oneOf'),
  ...places('map', 'properties patternProperties'),
  // 2020-12 dropped this keyword, but Ajv still applies it.
  ...places('dependencies', 'dependencies'),
  ...places('store', '$defs definitions'),
}

export const KEYWORDS: Readonly<Record<Dialect, Keywords>> = {
  '2020-12': {
    ...COMMON_KEYWORDS,
    ...places('data', 'dependentRequired maxContains minContains'),
    ...places('schema', 'items unevaluatedItems unevaluatedProperties'),
    ...places('list', 'prefixItems'),
    ...places('map', 'dependentSchemas'),
    ...places('unchecked', 'contentSchema'),
  },
  'draft-07': { ...COMMON_KEYWORDS, ...places('items', 'items'), ...places('schema', 'additionalItems') },
}

function places(place: Place, names: string): Keywords {
  return Object.fromEntries(names.split(' ').map(name => [name, place]))
}

export interface Subschema {
  /** Relative to the pointer of the parent schema: `properties/name`. */
  readonly pointer: string
  readonly schema: unknown
}

export function findSubschemas(dialect: Dialect, node: Node): Subschema[] {
  return Object.entries(node).flatMap(([keyword, value]) => {
    const place = Object.hasOwn(KEYWORDS[dialect], keyword) ? KEYWORDS[dialect][keyword] : 'data'
    return place === 'data' ? [] : subschemasIn(keyword, value)
  })
}

function subschemasIn(keyword: string, value: unknown): Subschema[] {
  if (Array.isArray(value)) return value.map((schema, index) => ({ pointer: `${keyword}/${index}`, schema }))
  if (!isNode(value) || !NAMED.has(keyword)) return [{ pointer: keyword, schema: value }]
  return Object.entries(value)
    .filter(([, schema]) => !Array.isArray(schema))
    .map(([name, schema]) => ({ pointer: `${keyword}/${name}`, schema }))
}

/** Copies a schema with mapped subschemas. For `dependencies`, also maps the lists of names. */
export function mapSubschemas(dialect: Dialect, node: Node, map: (value: unknown, pointer: string) => unknown): Node {
  const mapValue = (keyword: string, value: unknown): unknown => {
    const place = Object.hasOwn(KEYWORDS[dialect], keyword) ? KEYWORDS[dialect][keyword] : 'data'
    if (place === 'data') return value
    if (Array.isArray(value)) return value.map((each, index) => map(each, `${keyword}/${index}`))
    if (!NAMED.has(keyword) || !isNode(value)) return map(value, keyword)
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([name, each]) => [name, map(each, `${keyword}/${escapeKey(name)}`)]))
  }
  return Object.fromEntries(Object.entries(node).map(([keyword, value]) => [keyword, mapValue(keyword, value)]))
}

/** The values of these keywords are schemas under arbitrary names. */
export const NAMED: ReadonlySet<string> = new Set(
  Object.entries({ ...KEYWORDS['draft-07'], ...KEYWORDS['2020-12'] })
    .filter(([, place]) => place === 'map' || place === 'dependencies' || place === 'store')
    .map(([keyword]) => keyword),
)
