// Gets the JSON Schema of a schema from its library. If that fails, says how to fix it.

import { META_SCHEMAS } from '@toolrack/json-schema/dialect'
import type { Schema } from '@toolrack/json-schema/validator'
import type { StandardSchema } from 'toolrack'
import type { Direction } from 'toolrack/definitions'
import { convertArkType, needsNothing } from './arktype.ts'
import { findPatterns } from './checkable.ts'
import { convertValibot } from './valibot.ts'
import { createZodOptions, isZod3, isZodMini, ZOD_3 } from './zod.ts'

export interface LibraryJsonSchema {
  readonly schema: Schema
  /** Sources of patterns that the library checks, but that the JSON Schema lacks. */
  readonly unlistedPatterns: readonly string[]
}

/** How a schema without a JSON Schema gets one, by vendor. */
const WAYS_TO_JSON_SCHEMA: Readonly<Record<string, string>> = {
  zod: 'update zod to 4.2 or later',
  valibot: 'wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema',
  arktype: 'update arktype to 2.1.28 or later',
}

/** @throws Error with the fix, if the library cannot write the schema as JSON Schema */
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

/** Patterns of the other direction: the library checks a value before and after it changes it. */
function findOtherPatterns(standard: StandardSchema, direction: Direction): readonly string[] {
  const other = direction === 'input' ? 'output' : 'input'
  const patterns: string[] = []
  const convertTo: Convert = ({ libraryOptions, ...options }) =>
    standard['~standard'].jsonSchema![other]({
      ...options,
      // Zod and Valibot then write as much as they can.
      libraryOptions: { ...libraryOptions, unrepresentable: 'any', errorMode: 'ignore' },
    })
  try {
    patterns.push(...findPatterns(convert(standard, convertTo, other, patterns)))
  } catch {
    // JSON has no such type. Only the other direction needs it.
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
      return convertArkType(withOptions, standard, unlistedPatterns)
    default:
      return withOptions()
  }
}

function findWayToJsonSchema(standard: StandardSchema, direction: Direction): string {
  const { vendor } = standard['~standard']
  if (isZod3(standard)) return ZOD_3
  if (vendor === 'zod' && isZodMini(standard)) return `give z.toJSONSchema(schema, { io: '${direction}' })`
  return WAYS_TO_JSON_SCHEMA[vendor] ?? 'give JSON Schema, which most libraries can make'
}

/** Zod writes `z.file()` so: no JSON value is a file. */
const holdsBytes = (schema: Schema) => JSON.stringify(schema).includes('"contentEncoding":"binary"')

/** How to write a date as text, by vendor. */
const DATES: Readonly<Record<string, string>> = {
  zod: 'z.iso.datetime()',
  valibot: 'v.pipe(v.string(), v.isoTimestamp())',
  arktype: `'string.date.iso'`,
}

// Zod and Valibot throw plain errors without a code: only their text names the type.
function findWayToJson(vendor: string, direction: Direction, reason: string): string {
  if (/undefined|\bvoid\b/i.test(reason))
    return `JSON has no undefined: let it be absent, by ${OPTIONAL[vendor] ?? OPTIONAL['zod']}`
  if (direction === 'input') return 'take what JSON has, such as a string with a format, and transform it'
  if (TRANSFORM.test(reason)) return `say what the transform gives, such as ${PIPES[vendor] ?? PIPES['zod']}`
  if (/\bdate\b|"to_date"/i.test(reason))
    return `give a text: ${DATES[vendor] ?? 'a string with a format'} in the schema, and toISOString() in the handler`
  return 'give what JSON has, such as a string with a format'
}

/** Also actions of Valibot that are transforms and return JSON values. */
const TRANSFORM = /transform|"(?:to_(?:number|string|boolean)|(?:parse|stringify)_json|(?:map|reduce)_items)"/i

/** How to make a value optional, by vendor. */
const OPTIONAL: Readonly<Record<string, string>> = {
  zod: '.optional()',
  valibot: 'v.optional(…)',
  arktype: `a key such as 'name?'`,
}

/** How to write a transform with a known result, by vendor. */
const PIPES: Readonly<Record<string, string>> = {
  zod: '.transform(…).pipe(z.string())',
  valibot: 'v.pipe(…, v.transform(…), v.string())',
}
