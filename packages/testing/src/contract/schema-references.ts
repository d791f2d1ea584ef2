// Resolves the references of a JSON Schema: pointers within the same document.

import { findTarget, isEqual } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { mergeSchemas } from './schema-reading.ts'
import { isDraft07 } from './schema-unlisted.ts'

/** The schema with its reference resolved; `{}` if it allows everything. */
export function resolveSchema(schema: unknown, root: JsonObject): JsonObject {
  let resolved: unknown = schema
  // A circular chain of references allows everything.
  for (let hops = 0; isObject(resolved) && typeof resolved['$ref'] === 'string'; hops++) {
    const target = findTarget(resolved['$ref'], root)
    if (target === undefined || hops > 16) return resolved
    // Draft-07 ignores keywords beside a reference.
    resolved = isDraft07(root) ? target : withSiblings(resolved, target)
  }
  if (resolved === false) return { not: {} }
  return isObject(resolved) ? resolved : {}
}

/** The reference itself, and keywords that never refuse a value. */
const IGNORED = [
  '$ref',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]
/**
 * By the target and the schema that refers to it. A schema that refers to itself must stay the same
 * object, or its comparison would never end.
 */
const merged = new WeakMap<JsonObject, WeakMap<JsonObject, JsonObject>>()

/** Includes the keywords beside a reference. */
function withSiblings(schema: JsonObject, target: unknown): unknown {
  const siblings = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !IGNORED.includes(keyword)))
  if (Object.keys(siblings).length === 0 || target === false) return target
  if (!isObject(target)) return siblings
  const known = merged.get(target) ?? new WeakMap<JsonObject, JsonObject>()
  const whole = known.get(schema) ?? mergeSchemas(target, siblings)
  merged.set(target, known.set(schema, whole))
  return whole
}

/** Whether all possible targets of references are the same. */
export const hasSameDefinitions = (one: JsonObject, other: JsonObject): boolean =>
  ['$defs', 'definitions'].every(keyword => isEqual(one[keyword], other[keyword]))

export const hasReference = (schema: JsonObject): boolean => /"\$ref":/.test(JSON.stringify(schema))
