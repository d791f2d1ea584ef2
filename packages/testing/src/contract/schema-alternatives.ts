// The alternatives of `anyOf` and `oneOf`.

import { getProperties, getRequired, includesType, isEqual } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { findTypes, findValues, isAllowed, mergeSchemas } from './schema-reading.ts'
import { resolveSchema } from './schema-references.ts'

/** Levels of alternatives within alternatives that are read: a schema may refer to itself. */
const MAX_NESTED = 8

/**
 * The alternatives of `anyOf` or `oneOf`, each merged with the keywords beside them; else the schema
 * alone.
 */
export function findAlternatives(schema: JsonObject, root: JsonObject, depth = 0): readonly JsonObject[] {
  const { anyOf, oneOf, ...others } = schema
  const alternatives = anyOf ?? oneOf
  // If a schema has both, each alternative of one has those of the other.
  const rest = anyOf === undefined || oneOf === undefined ? others : { ...others, oneOf }
  if (!Array.isArray(alternatives) || depth === MAX_NESTED || findValues(schema) !== undefined) return [schema]
  // `oneOf` refuses values that two of these accept, so each alone would allow too much.
  if (depth > 0 && isOverlapping({}, schema, root)) return [schema]
  return alternatives.flatMap(each => findAlternatives(mergeSchemas(rest, resolveSchema(each, root)), root, depth + 1))
}

/**
 * Splits a schema by the values that it lists, or by its types: each may be allowed by another
 * alternative.
 */
export function splitSchema(schema: JsonObject): readonly JsonObject[] {
  const values = findValues(schema)
  if (values !== undefined) return values.map(value => ({ const: value }))
  const { type } = schema
  return Array.isArray(type) ? type.map(each => ({ ...schema, type: each })) : [schema]
}

/**
 * Whether `oneOf` refuses more than before: it has changed, and a value may match two of its
 * alternatives.
 *
 * @param root of `to`
 */
export function isOverlapping(from: JsonObject, to: JsonObject, root: JsonObject): boolean {
  const { oneOf } = to
  if (!Array.isArray(oneOf) || isSameSet(from['oneOf'], oneOf)) return false
  const alternatives = oneOf.map(each => resolveSchema(each, root))
  return alternatives.some((one, index) => alternatives.slice(index + 1).some(other => !areDisjoint(one, other)))
}

function isSameSet(one: unknown, other: readonly unknown[]): boolean {
  return (
    Array.isArray(one) &&
    one.length === other.length &&
    other.every(each => one.some(another => isEqual(each, another)))
  )
}

/** By their values, by their types, or by a required member whose values differ. */
function areDisjoint(one: JsonObject, other: JsonObject): boolean {
  const [values, others] = [findValues(one), findValues(other)]
  if (values !== undefined) return values.every(value => !isAllowed(value, other))
  if (others !== undefined) return others.every(value => !isAllowed(value, one))
  const [types, otherTypes] = [findTypes(one), findTypes(other)]
  const isShared = (type: string) =>
    includesType(otherTypes, type) || otherTypes.some(each => includesType([type], each))
  if (!types.some(isShared)) return true
  // Only objects can be distinguished by a member.
  if (one['type'] !== 'object' || other['type'] !== 'object') return false
  return getRequired(one).some(name => getRequired(other).includes(name) && isToldApart(name, one, other))
}

function isToldApart(name: string, one: JsonObject, other: JsonObject): boolean {
  const [member, another] = [getProperties(one)[name], getProperties(other)[name]]
  if (!isObject(member) || !isObject(another)) return false
  return findValues(member) !== undefined && findValues(another) !== undefined && areDisjoint(member, another)
}
