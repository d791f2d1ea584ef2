// Reads the parts of a JSON Schema beyond its listed members: other members, elements of an array,
// and the dialect.

import { findDialect } from '@toolrack/json-schema/dialect'
import { type Elements, findByPattern, getElements } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'

/** The schema of members that neither `properties` nor a pattern names; undefined if all are allowed. */
export const getRest = ({ additionalProperties, unevaluatedProperties }: JsonObject): unknown =>
  additionalProperties ?? unevaluatedProperties

/** The schemas of a member that `properties` does not name. */
export function findUnlisted(schema: JsonObject, name: string): readonly unknown[] {
  const matching = findByPattern(schema, name)
  return matching.length > 0 ? matching : [getRest(schema)]
}

/** @param root decides the dialect: in draft-07, `items` may be a list */
export function readElements(schema: JsonObject, root: JsonObject): Elements {
  const { first, rest } = getElements(schema, isDraft07(root))
  return { first, rest: isDraft07(root) ? rest : (rest ?? schema['unevaluatedItems']) }
}

export const isDraft07 = (root: JsonObject): boolean => findDialect(root['$schema']) === 'draft-07'

/** Keywords that only one dialect knows, or that dialects read differently. */
const OF_A_DIALECT =
  /"(?:prefixItems|additionalItems|dependencies|dependent\w+|unevaluated\w+|(?:min|max)Contains|\$ref)":|"items":\[/

/** Whether both are read in the same way, or contain nothing that dialects read differently. */
export const hasSameReading = (one: JsonObject, other: JsonObject): boolean =>
  isDraft07(one) === isDraft07(other) || ![one, other].some(each => OF_A_DIALECT.test(JSON.stringify(each)))
