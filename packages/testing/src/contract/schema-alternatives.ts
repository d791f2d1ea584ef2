// The alternatives of `anyOf` and `oneOf`.

import { getProperties, getRequired, includesType, isEqual } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { findTypes, findValues, isAllowed, mergeSchemas } from './schema-reading.ts'
import { resolveSchema } from './schema-references.ts'

/** Alternatives within alternatives that are looked into; a schema may refer to itself. */
const MAX_NESTED = 8

/** The alternatives of `anyOf` or `oneOf`, each with what stands beside them; else the schema alone. */
export function findAlternatives(schema: JsonObject, root: JsonObject, depth = 0): readonly JsonObject[] {
  const { anyOf, oneOf, ...others } = schema
  const alternatives = anyOf ?? oneOf
  // With both, each alternative of the one has those of the other.
  const rest = anyOf === undefined || oneOf === undefined ? others : { ...others, oneOf }
  if (!Array.isArray(alternatives) || depth === MAX_NESTED || findValues(schema) !== undefined) return [schema]
  // What two of these take is refused, so each alone says too much.
  if (depth > 0 && isOverlapping({}, schema, root)) return [schema]
  return alternatives.flatMap(each => findAlternatives(mergeSchemas(rest, resolveSchema(each, root)), root, depth + 1))
}

/** One schema for each value that a schema lists, or for each of its types: each may be allowed by another alternative. */
export function splitSchema(schema: JsonObject): readonly JsonObject[] {
  const values = findValues(schema)
  if (values !== undefined) return values.map(value => ({ const: value }))
  const { type } = schema
  return Array.isArray(type) ? type.map(each => ({ ...schema, type: each })) : [schema]
}

/**
 * Whether `oneOf` refuses more than before: it is another one, and a value may fit two of it.
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

/** By their values, by their types, or by a member that both require with values of its own. */
function areDisjoint(one: JsonObject, other: JsonObject): boolean {
  const [values, others] = [findValues(one), findValues(other)]
  if (values !== undefined) return values.every(value => !isAllowed(value, other))
  if (others !== undefined) return others.every(value => !isAllowed(value, one))
  const [types, otherTypes] = [findTypes(one), findTypes(other)]
  const isShared = (type: string) =>
    includesType(otherTypes, type) || otherTypes.some(each => includesType([type], each))
  if (!types.some(isShared)) return true
  // A member tells objects apart, and nothing else.
  if (one['type'] !== 'object' || other['type'] !== 'object') return false
  return getRequired(one).some(name => getRequired(other).includes(name) && isToldApart(name, one, other))
}

function isToldApart(name: string, one: JsonObject, other: JsonObject): boolean {
  const [member, another] = [getProperties(one)[name], getProperties(other)[name]]
  if (!isObject(member) || !isObject(another)) return false
  return findValues(member) !== undefined && findValues(another) !== undefined && areDisjoint(member, another)
}
