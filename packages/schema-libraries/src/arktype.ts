// Corrects the JSON Schema of ArkType where it differs from ArkType's check: it lacks the flags of
// patterns, and its types are numbered.

import { schemaMembers } from '@toolrack/json-schema/reader'
import type { Schema } from '@toolrack/json-schema/validator'
import { isObject } from 'toolrack/protocol'
import { findRefinementPatterns, HARMLESS_FLAGS, toSource } from './refinement-patterns.ts'
import { withStableNames } from './stable-names.ts'

/**
 * @param standard the schema itself
 * @param unlistedPatterns gets the sources of patterns that are left out
 */
export function convertArkType(
  convert: (options: Record<string, unknown>) => Schema,
  standard: object,
  unlistedPatterns: string[],
): Schema {
  return withStableNames(withoutFlags(convert(createOptions(unlistedPatterns)), standard, unlistedPatterns))
}

/** By default ArkType emits `{}` for types that JSON lacks; these handlers throw instead. */
const createOptions = (unlistedPatterns: string[]) => ({
  fallback: {
    predicate: ({ base, predicate }: { base: object; predicate: unknown }) => {
      unlistedPatterns.push(...findRefinementPatterns(predicate))
      return base
    },
    date: () => refuseType('Date'),
    domain: ({ domain }: { domain: string }) => refuseType(domain),
    proto: ({ proto }: { proto: { name: string } }) => refuseType(proto.name),
    unit: () => ({ not: {} }),
  },
})

function refuseType(name: string): never {
  throw new Error(`${name} cannot be represented in JSON Schema`)
}

/** ArkType keeps patterns without their flags. */
function withoutFlags(schema: Schema, standard: object, unlistedPatterns: string[]): Schema {
  const withFlags = new Map<unknown, string>()
  visitObjects((standard as { json?: unknown }).json, ({ rule, flags }) => {
    if (typeof flags === 'string' && !HARMLESS_FLAGS.test(flags)) withFlags.set(rule, flags)
  })
  if (withFlags.size === 0) return schema
  const copy = structuredClone(schema)
  visitObjects(copy, node => {
    const flags = withFlags.get(node['pattern'])
    if (flags === undefined) return
    unlistedPatterns.push(toSource({ source: String(node['pattern']), flags }))
    delete node['pattern']
  })
  return copy
}

function visitObjects(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (isObject(value)) visit(value)
  for (const member of Object.values(value)) visitObjects(member, visit)
}

/** Whether it requires an impossible value, as ArkType writes for a property that must be undefined. */
export function needsNothing(node: unknown, isMap = false): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (!isMap && requiresNothing(node as Schema)) return true
  return schemaMembers(node, isMap).some(member => needsNothing(member.value, member.isMap))
}

function requiresNothing({ required, properties }: Schema): boolean {
  if (!Array.isArray(required) || !isObject(properties)) return false
  return required.some(name => {
    const { not } = Object(properties[name]) as Schema
    return isObject(not) && Object.keys(not).length === 0
  })
}
