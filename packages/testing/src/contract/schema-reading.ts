// Reads JSON Schemas for their comparison: allowed values, types and members.

import {
  findLiterals,
  getProperties,
  getRequired,
  getTypeOf,
  includesType,
  isEqual,
  listTypes,
} from '@toolrack/json-schema/reader'
import { compile } from '@toolrack/json-schema/validator'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

/** The values that a schema lists; undefined if it lists none. TypeBox writes them as `anyOf`. */
export function findValues(schema: JsonObject): readonly unknown[] | undefined {
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  const literals = findLiterals(schema)
  if (literals !== undefined || !Array.isArray(alternatives)) return literals
  const values = alternatives.map(each => (isObject(each) ? findValues(each) : undefined))
  return values.every(each => each !== undefined) ? values.flat() : undefined
}

/** The types that a schema allows. */
export const findTypes = (schema: JsonObject): readonly string[] =>
  schema['type'] === undefined ? TYPES : listTypes(schema)

/** Whether a schema allows a value. If it has references, checks the type only. */
export function isAllowed(value: unknown, schema: JsonObject): boolean {
  try {
    return compile(schema).isValid(value)
  } catch {
    return includesType(findTypes(schema), getTypeOf(value))
  }
}

/** Keywords that apply to values of one type only. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'prefixItems',
    'additionalItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
  ],
}

/** Leaves out keywords that do not apply to values of these types. */
export function keepKeywordsOf(types: readonly string[], schema: JsonObject): JsonObject {
  const isUsed = (type: string) => types.includes(type) || (type === 'number' && types.includes('integer'))
  const unused = Object.keys(KEYWORDS).flatMap(type => (isUsed(type) ? [] : KEYWORDS[type]!))
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !unused.includes(keyword)))
}

/** Keywords that never refuse a value. */
const HARMLESS = ['$comment', 'title', 'description', 'default', 'examples', '$defs', 'definitions']

/** Both schemas together. If both have a keyword with different values, it goes into `allOf`. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const { properties, required, allOf, ...rest } = other
  const isClash = (keyword: string) =>
    Object.hasOwn(one, keyword) && !HARMLESS.includes(keyword) && !isEqual(one[keyword], rest[keyword])
  const clashes = Object.fromEntries(Object.entries(rest).filter(([keyword]) => isClash(keyword)))
  const both: JsonObject = { ...one, ...rest, ...pick(one, Object.keys(clashes)) }
  const members = mergeProperties(one, other)
  if (one['properties'] !== undefined || properties !== undefined) both['properties'] = members
  if (one['required'] !== undefined || required !== undefined)
    both['required'] = [...new Set([...getRequired(one), ...getRequired(other)])]
  const parts = [one['allOf'] ?? [], allOf ?? [], Object.keys(clashes).length > 0 ? clashes : []].flat()
  return parts.length > 0 ? { ...both, allOf: parts } : both
}

const pick = (schema: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(keywords.map(keyword => [keyword, schema[keyword]]))

function mergeProperties(one: JsonObject, other: JsonObject): JsonObject {
  const members: JsonObject = { ...getProperties(one) }
  for (const [name, schema] of Object.entries(getProperties(other))) {
    const isClash = Object.hasOwn(members, name) && !isEqual(members[name], schema)
    members[name] = isClash ? { allOf: [members[name], schema] } : schema
  }
  return members
}

/** Describes in a sentence the values, the members or the types that a schema allows. */
export function describeSchema(schema: JsonObject): string {
  const values = findValues(schema)
  if (values !== undefined) return formatValues(values)
  const members = Object.keys(getProperties(schema))
  if (members.length > 0) return `an object with ${members.join(', ')}`
  return findTypes(schema).join(' or ')
}

export const formatValues = (values: readonly unknown[]): string =>
  values.map(value => JSON.stringify(value)).join(' or ')
