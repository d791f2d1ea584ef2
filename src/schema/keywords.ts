// The keywords of each dialect, and what stands in each: a schema, several, or data. All others are annotations.
// https://json-schema.org/draft/2020-12/json-schema-core, section 10; draft-07, sections 6 and 9.
import type { Dialect } from './dialect.ts'

/**
 * `data`: no schema within. `schema`, `list`, `map`: one, an array of them, named ones. `items`: one or an array, as in
 * draft-07. `dependencies`: named schemas or arrays of names. `store`: named schemas that are only referred to.
 * `unchecked`: a schema that no value is checked against.
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
  // No keyword of 2020-12 any more, but one that a validator may still know, and Ajv does.
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

export type Node = { readonly [keyword: string]: unknown }

export interface Subschema {
  /** Behind the pointer of the schema that holds it: `properties/name`. */
  readonly pointer: string
  readonly schema: unknown
}

/** The schemas directly within a schema, wherever its dialect puts any. */
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

/** What stands in these are schemas with names, which may be any. */
export const NAMED: ReadonlySet<string> = new Set(
  Object.entries({ ...KEYWORDS['draft-07'], ...KEYWORDS['2020-12'] })
    .filter(([, place]) => place === 'map' || place === 'dependencies' || place === 'store')
    .map(([keyword]) => keyword),
)

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
