// Asks a schema library for the JSON Schema of a schema, and says the fix if it has none.
import { isObject } from '../protocol/messages.ts'
import { findPatterns } from '../schema/checkable.ts'
import { META_SCHEMAS } from '../schema/dialect.ts'
import { schemaMembers } from '../schema/reader.ts'
import type { Schema } from '../schema/validator.ts'
import { findRefinementPatterns, toSource } from './refinement-patterns.ts'
import { withStableNames } from './stable-names.ts'
import { type Direction, HARMLESS_FLAGS, type StandardSchema } from './standard-schema.ts'
import { convertValibot } from './valibot-schema.ts'
import { createZodOptions } from './zod-schema.ts'

export interface LibraryJsonSchema {
  readonly schema: Schema
  /** Sources of patterns that the library checks and the schema does not say. */
  readonly unlistedPatterns: readonly string[]
}

/** How a schema without a JSON Schema gets one, by vendor. */
const WAYS_TO_JSON_SCHEMA: Readonly<Record<string, string>> = {
  zod: 'update zod to 4.2 or later',
  valibot: 'wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema',
  arktype: 'update arktype to 2.1.28 or later',
}

/** ArkType says no more than `{}` of a type that JSON does not have, unless it is asked to throw. */
const createArkTypeOptions = (unlistedPatterns: string[]) => ({
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

/** @throws Error with the fix, if the library cannot say the schema in JSON Schema */
export function toJsonSchema(standard: StandardSchema, direction: Direction): LibraryJsonSchema {
  const { vendor, jsonSchema } = standard['~standard']
  if (jsonSchema === undefined)
    throw new Error(`is a schema of ${vendor} that says no JSON Schema; ${findWayToJsonSchema(standard, direction)}`)
  const unlistedPatterns: string[] = []
  try {
    const { $schema, ...schema } = convert(standard, jsonSchema[direction], direction, unlistedPatterns)
    if (holdsBytes(schema)) throw new Error('a file cannot be represented in JSON')
    if (vendor === 'arktype' && needsNothing(schema))
      throw new Error('undefined, or a bigint, cannot be represented in JSON Schema')
    unlistedPatterns.push(...findOtherPatterns(standard, direction))
    const isDefault = $schema === META_SCHEMAS['2020-12'] || $schema === undefined
    return { schema: isDefault ? schema : { $schema, ...schema }, unlistedPatterns }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const fix = findWayToJson(vendor, direction, reason)
    throw new Error(`is a schema of ${vendor} that JSON Schema cannot say: ${reason}; ${fix}`, { cause })
  }
}

/** Patterns of what the schema makes of a value, or makes it of: the library checks both. */
function findOtherPatterns(standard: StandardSchema, direction: Direction): readonly string[] {
  const other = direction === 'input' ? 'output' : 'input'
  const patterns: string[] = []
  const convertTo: Convert = ({ libraryOptions, ...options }) =>
    standard['~standard'].jsonSchema![other]({
      ...options,
      // Zod and Valibot then say what they can.
      libraryOptions: { ...libraryOptions, unrepresentable: 'any', errorMode: 'ignore' },
    })
  try {
    patterns.push(...findPatterns(convert(standard, convertTo, other, patterns)))
  } catch {
    // JSON has no such type, which is no fault of this direction.
  }
  return patterns
}

type Convert = (options: { target: 'draft-2020-12'; libraryOptions?: Record<string, unknown> }) => Schema

function convert(
  standard: StandardSchema,
  convertTo: Convert,
  direction: Direction,
  unlistedPatterns: string[],
): Schema {
  const withOptions = (libraryOptions?: Record<string, unknown>) =>
    convertTo({ target: 'draft-2020-12', ...(libraryOptions !== undefined && { libraryOptions }) })
  switch (standard['~standard'].vendor) {
    case 'zod':
      return withOptions(createZodOptions(direction, unlistedPatterns))
    case 'valibot':
      return convertValibot(withOptions, direction, unlistedPatterns)
    case 'arktype':
      return withStableNames(
        withoutFlags(withOptions(createArkTypeOptions(unlistedPatterns)), standard, unlistedPatterns),
      )
    default:
      return withOptions()
  }
}

/** ArkType leaves away the flags of patterns, and not the patterns. */
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

function findWayToJsonSchema(standard: StandardSchema, direction: Direction): string {
  const { vendor } = standard['~standard']
  if (isZod3(standard)) return ZOD_3
  if (vendor === 'zod' && isZodMini(standard)) return `give z.toJSONSchema(schema, { io: '${direction}' })`
  return WAYS_TO_JSON_SCHEMA[vendor] ?? 'give JSON Schema, which most libraries can make'
}

export const ZOD_3 = `it is of Zod 3: import { z } from 'zod' (4.2 or later), not from 'zod/v3'`

export const isZod3 = (value: unknown): boolean =>
  isObject(value) && isObject(value['_def']) && /^Zod/.test(String(value['_def']['typeName']))

/** Of the versions whose other schemas say JSON Schema. */
function isZodMini(schema: object): boolean {
  const { major = 0, minor = 0 } = (schema as { _zod?: { version?: Record<string, number> } })._zod?.version ?? {}
  return major > 4 || (major === 4 && minor >= 2)
}

/** Zod says so of `z.file()`: no text of JSON is a file. */
const holdsBytes = (schema: Schema) => JSON.stringify(schema).includes('"contentEncoding":"binary"')

/** Whether it requires what no value is, as ArkType says of a property that must be undefined. */
function needsNothing(node: unknown, isMap = false): boolean {
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

/** A date as text, by vendor. */
const DATES: Readonly<Record<string, string>> = {
  zod: 'z.iso.datetime()',
  valibot: 'v.pipe(v.string(), v.isoTimestamp())',
  arktype: `'string.date.iso'`,
}

// Zod and Valibot throw plain errors, which have no code: their text alone names the type.
function findWayToJson(vendor: string, direction: Direction, reason: string): string {
  if (/undefined|\bvoid\b/i.test(reason))
    return `JSON has no undefined: let it be absent, by ${OPTIONAL[vendor] ?? OPTIONAL['zod']}`
  if (direction === 'input') return 'take what JSON has, such as a string with a format, and transform it'
  if (TRANSFORM.test(reason)) return `say what the transform gives, such as ${PIPES[vendor] ?? PIPES['zod']}`
  if (/\bdate\b|"to_date"/i.test(reason))
    return `give a text: ${DATES[vendor] ?? 'a string with a format'} in the schema, and toISOString() in the handler`
  return 'give what JSON has, such as a string with a format'
}

/** Also the actions of Valibot that are one, and give what JSON has. */
const TRANSFORM = /transform|"(?:to_(?:number|string|boolean)|(?:parse|stringify)_json|(?:map|reduce)_items)"/i

/** What may be absent, by vendor. */
const OPTIONAL: Readonly<Record<string, string>> = {
  zod: '.optional()',
  valibot: 'v.optional(…)',
  arktype: `a key such as 'name?'`,
}

/** A transform that says what it gives, by vendor. */
const PIPES: Readonly<Record<string, string>> = {
  zod: '.transform(…).pipe(z.string())',
  valibot: 'v.pipe(…, v.transform(…), v.string())',
}
