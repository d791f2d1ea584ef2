// Schemas of TypeBox, 0.34 and 1.x. They are JSON Schema, except for tuples, which follow draft-07,
// and for parts that only TypeBox itself can run.

import { formatPath } from '@toolrack/json-schema/pointer'
import { schemaMembers } from '@toolrack/json-schema/reader'
import { isObject } from 'toolrack/protocol'

const KIND = Symbol.for('TypeBox.Kind')
const TRANSFORM = Symbol.for('TypeBox.Transform')

export const isTypeBox = (value: unknown): boolean =>
  isObject(value) && (Object.hasOwn(value, '~kind') || KIND in value)

/** Deeper schemas are refused. */
const MAX_DEPTH = 100

/** Whether it contains a schema of TypeBox anywhere. */
export function holdsTypeBox(value: unknown, depth = 0, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || seen.has(value)) return false
  seen.add(value)
  if (isTypeBox(value) || isRefined(value) || isConverted(value)) return true
  return Object.values(value).some(member => holdsTypeBox(member, depth + 1, seen))
}

const isRefined = (schema: object) => Object.hasOwn(schema, '~refine')
const isConverted = (schema: object) => TRANSFORM in schema || Object.hasOwn(schema, '~codec')

const JSON_TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string', undefined]

/**
 * @param schema of any library, as it was given; values that are not plain JSON were refused before
 * @returns the part that JSON Schema cannot express, and the fix
 */
export function findTypeBoxFault(schema: unknown, path: readonly string[] = [], isMap = false): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const where = path.length === 0 ? '' : ` at ${formatPath(path)}`
  if (isRefined(schema)) return `has a Refine of TypeBox${where}, which only TypeBox runs; say it in JSON Schema`
  if (isConverted(schema))
    return `has a transform of TypeBox${where}, which only TypeBox runs; convert the value in the handler`
  const { type } = schema as { type?: unknown }
  if (!isMap && isTypeBox(schema) && typeof type === 'string' && !JSON_TYPES.includes(type))
    return `has the TypeBox type ${type}${where}, which JSON does not have; take a string with a format, or a number`
  for (const { key, value, isMap: holdsMap } of schemaMembers(schema, isMap)) {
    const fault = findTypeBoxFault(value, [...path, key], holdsMap)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Rewrites tuples, `items: [ … ]`, to those of 2020-12. Rewrites records with any names, for which
 * TypeBox uses a pattern.
 *
 * @param given the schema as it was given, since a copy lacks TypeBox's symbols
 * @param copy is changed
 */
export function rewriteTypeBox(given: unknown, copy: unknown): void {
  if (typeof given !== 'object' || given === null || typeof copy !== 'object' || copy === null) return
  for (const key of Object.keys(copy)) rewriteTypeBox(given[key as never], copy[key as never])
  if (!isTypeBox(given)) return
  rewriteTuple(copy as Record<string, unknown>)
  rewriteRecord(copy as Record<string, unknown>)
}

function rewriteTuple(schema: Record<string, unknown>): void {
  const { items, additionalItems = true } = schema
  if (!Array.isArray(items)) return
  delete schema['additionalItems']
  // `prefixItems` must not be empty.
  if (items.length > 0) schema['prefixItems'] = items
  schema['items'] = additionalItems
}

/** The patterns of 0.34 and 1.x for any name. */
const ANY_NAME = ['^(.*)$', '^.*$']

function rewriteRecord(schema: Record<string, unknown>): void {
  const { patternProperties, properties } = schema
  if (!isObject(patternProperties) || properties !== undefined) return
  const [pattern, ...others] = Object.keys(patternProperties)
  if (pattern === undefined || others.length > 0 || !ANY_NAME.includes(pattern)) return
  delete schema['patternProperties']
  schema['additionalProperties'] = patternProperties[pattern]
}
