// Reads the schemas of a tool: JSON Schema and TypeBox as they are, those of other libraries by
// Standard Schema. What is none of these is refused with the fix: read as JSON Schema, it would
// accept everything.
import { isObject } from '../protocol/messages.ts'
import { isWithinBounds } from '../schema/bounds.ts'
import {
  findPatterns,
  toCheckable,
  toListedOutput,
  withoutFractions,
  withoutMetaReferences,
} from '../schema/checkable.ts'
import { toCompilable } from '../schema/compilable.ts'
import { findDialect, META_SCHEMAS } from '../schema/dialect.ts'
import { toLocalReferences } from '../schema/local-references.ts'
import { isPlain } from '../schema/plain-pattern.ts'
import { readPointer } from '../schema/pointer.ts'
import { compile, type Issue, type Schema, SchemaError, type Validator } from '../schema/validator.ts'
import { describeValue } from '../text/describe-value.ts'
import { RegistrationError } from './definition.ts'
import { JsonCopier, NotJsonError } from './json-copy.ts'
import { isZod3, type LibraryJsonSchema, toJsonSchema, ZOD_3 } from './library-json-schema.ts'
import { repairListing } from './library-listing.ts'
import { saysNothing, withObjectType } from './root-schema.ts'
import { createParse, findStandardSchema, type Parse, type StandardSchema } from './standard-schema.ts'
import { withTimeLimit } from './time-limit.ts'
import { findTypeBoxFault, isTypeBox, rewriteTypeBox } from './typebox-schema.ts'
import { findUncalled } from './uncalled-schema.ts'

const MAX_SCHEMA_BYTES = 1024 * 1024

export type SchemaField = 'inputSchema' | 'outputSchema'

export interface ToolSchema {
  /** As clients see it. */
  readonly listed: Schema
  readonly checked: Schema
  /** The library's own check, after that of `checked`; undefined for JSON Schema and TypeBox. */
  readonly parse: Parse | undefined
  /** Patterns that the library runs in V8, and that may be slow there. */
  readonly slowPatterns: readonly string[]
}

/** Copies the schema, so that a tool cannot change it later. @throws RegistrationError with the fix */
export function readSchema(name: unknown, field: SchemaField, schema: unknown): ToolSchema {
  const refuse = (text: string, cause?: unknown) => new RegistrationError('tool', name, `${field} ${text}`, { cause })
  const uncalled = findUncalled(schema)
  if (uncalled !== undefined) throw refuse(uncalled)
  const standard = findStandardSchema(schema)
  const read =
    standard === undefined ? readJsonSchema(schema, field, refuse) : readStandardSchema(standard, field, refuse)
  const fault = field === 'inputSchema' ? explainNoArguments(read.listed, findVendor(schema)) : undefined
  if (fault !== undefined) throw refuse(fault)
  return { ...read, listed: withoutMetaReferences(read.listed) }
}

function readJsonSchema(schema: unknown, field: SchemaField, refuse: Refuse): ToolSchema {
  const copy = copySchema(schema, refuse)
  if ('$schema' in copy && saysNothing(copy)) throw refuse(CONVERTED_TO_NOTHING)
  if (findDialect(copy['$schema']) !== 'draft-07') rewriteTypeBox(schema, copy)
  const local = toLocal(copy)
  const typed = isTypeBox(schema) ? withObjectType(local) : local
  const listed = field === 'inputSchema' ? typed : withoutFractions(toCompilable(typed))
  return { listed, checked: typed, parse: undefined, slowPatterns: [] }
}

/** Definitions may be more, or deeper, than what stood in place; a schema within the bounds is never refused for that. */
function toLocal(schema: Schema): Schema {
  const local = toLocalReferences(schema)
  return isWithinBounds(local) ? local : schema
}

/** As zodToJsonSchema, which is for Zod 3, makes it of every schema of Zod 4. */
const CONVERTED_TO_NOTHING =
  'says nothing but its $schema, so everything would pass; give the schema of the library itself, such as z.object({ … })'

function readStandardSchema(standard: StandardSchema, field: SchemaField, refuse: Refuse): ToolSchema {
  try {
    assertValidates(standard)
    const direction = field === 'inputSchema' ? 'input' : 'output'
    const parse = createParse(standard, direction)!
    const { schema, unlistedPatterns }: LibraryJsonSchema = isPlainWithCheck(standard)
      ? { schema: standard as unknown as Schema, unlistedPatterns: [] }
      : toJsonSchema(standard, direction)
    const said = toLocal(copySchema(schema, refuse))
    const slowPatterns = [...new Set([...findPatterns(said), ...unlistedPatterns])].filter(each => !isPlain(each))
    const { vendor } = standard['~standard']
    const repaired = withObjectType(repairListing(said, { poolsProperties: vendor !== 'valibot' }))
    const listed = direction === 'input' ? repaired : toListedOutput(toCompilable(repaired))
    const checked = toCheckable(listed)
    return { listed, checked, parse: slowPatterns.length > 0 ? withTimeLimit(parse) : parse, slowPatterns }
  } catch (cause) {
    throw cause instanceof RegistrationError ? cause : refuse((cause as Error).message, cause)
  }
}

function assertValidates({ '~standard': { vendor, validate } }: StandardSchema): void {
  if (typeof validate !== 'function')
    throw new Error(`is a schema of ${vendor} that checks nothing: ~standard.validate is no function`)
}

/** @throws RegistrationError naming the field and the place within the schema */
export function compileSchema(name: string, field: SchemaField, { checked }: ToolSchema): Validator {
  try {
    return compile(checked)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    const fix = cause instanceof SchemaError ? findSchemaFix(cause.issues) : undefined
    throw new RegistrationError('tool', name, `${field}: ${[text, fix].filter(Boolean).join('; ')}`, { cause })
  }
}

// In draft-03, each property said that it is required; until 2019-09, `items` could be a list.
function findSchemaFix(issues: readonly Issue[]): string | undefined {
  for (const { pointer, keyword, params } of issues) {
    if (keyword !== 'type') continue
    const keys = readPointer(pointer)
    const isSchema = String(params?.['type']) === 'object,boolean'
    if (keys.at(-3) === 'properties' && keys.at(-1) === 'required')
      return `write required: ['${keys.at(-2)}'] beside properties`
    if (keys.at(-2) === 'properties' && isSchema) return `write ${keys.at(-1)}: { type: 'string' }, or another type`
    if (keys.at(-1) === 'items' && isSchema)
      return `name a list prefixItems, or add $schema: '${META_SCHEMAS['draft-07']}'`
  }
  return undefined
}

// `z.toJSONSchema` makes JSON Schema that also has the library's check. The schemas of libraries are
// class instances, or say their `~standard` openly.
const isPlainWithCheck = (schema: unknown) =>
  isObject(schema) &&
  Object.getPrototypeOf(schema) === Object.prototype &&
  Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false

type Refuse = (text: string, cause?: unknown) => RegistrationError

function copySchema(schema: unknown, refuse: Refuse): Schema {
  if (!isObject(schema)) throw refuse(`must be a schema, not ${describeValue(schema)}; ${SCHEMAS}`)
  const wrapper = findWrapper(schema)
  if (wrapper !== undefined) throw refuse(wrapper)
  const copy = copyJson(schema, refuse)
  const fault = findTypeBoxFault(schema)
  if (fault !== undefined) throw refuse(fault)
  return copy
}

function copyJson(schema: object, refuse: Refuse): Schema {
  try {
    return new JsonCopier({ maxBytes: MAX_SCHEMA_BYTES, tally: undefined }).copy(schema) as Schema
  } catch (cause) {
    // What to write instead is for results.
    const fault = cause instanceof NotJsonError ? cause.fault : (cause as Error).message
    throw refuse(`is not plain JSON: ${fault}; ${SCHEMAS}`, cause)
  }
}

const SCHEMAS = 'give a schema of Zod, Valibot, ArkType or TypeBox, as Type.Object({ … }), or JSON Schema'

/** How the object of a library is made, by vendor. */
const OBJECTS: Readonly<Record<string, string>> = {
  zod: 'z.object({ … })',
  valibot: 'toStandardJsonSchema(v.object({ … }))',
  arktype: 'type({ … })',
  TypeBox: 'Type.Object({ … })',
  'JSON Schema': `{ type: 'object', properties: { … } }`,
}

// The official SDK 1.x takes an object whose members are schemas.
function findWrapper(schema: object): string | undefined {
  const members = Object.entries(schema)
  // Before 3.24 it had no `~standard`.
  if (isZod3(schema) || members.some(([, each]) => isZod3(each))) return `is no schema of Zod 4; ${ZOD_3}`
  const vendor = members.map(([, each]) => findVendor(each)).find(each => each !== undefined)
  if (vendor !== undefined && members.every(([, each]) => findVendor(each) === vendor)) {
    const object = OBJECTS[vendor]
    return `is an object of ${vendor} schemas; wrap it${object === undefined ? '' : `: ${object}`}`
  }
  const isRawShape = members.length > 0 && members.every(([, each]) => isSchemaLike(each))
  const { properties } = schema as { properties?: unknown }
  const mixed = isRawShape ? findForeign(members, '') : findForeign(Object.entries(Object(properties)), 'properties.')
  if (mixed !== undefined) return mixed
  return isRawShape ? `is an object of schemas; wrap it: ${OBJECTS['JSON Schema']}` : undefined
}

/**
 * Arguments have names, so their schema is that of an object.
 *
 * @returns undefined if it is, or if JSON Schema only lacks the type
 */
function explainNoArguments(listed: Schema, vendor: string | undefined): string | undefined {
  const { type } = listed
  if (type === 'object' || (type === undefined && vendor === undefined)) return undefined
  const alternatives = ['anyOf', 'oneOf'].map(keyword => listed[keyword]).find(Array.isArray) ?? []
  const types: unknown[] = [type ?? alternatives.map(each => isObject(each) && each['type'])].flat()
  if (types.includes('object') && types.includes('null'))
    return 'may be null, which arguments never are; leave that away'
  const object = OBJECTS[vendor ?? 'JSON Schema'] ?? 'an object'
  return `is not the schema of an object; arguments have names; wrap it: ${object.replace('…', 'value: …')}`
}

const isSchemaLike = (value: unknown) =>
  findVendor(value) !== undefined || (isObject(value) && typeof value['type'] === 'string')

/** A schema of another library among JSON Schema, which nobody would check. */
function findForeign(members: readonly [string, unknown][], path: string): string | undefined {
  const foreign = members.find(([, each]) => findVendor(each) !== undefined && !isTypeBox(each))
  if (foreign === undefined) return undefined
  const vendor = findVendor(foreign[1])!
  return `mixes JSON Schema and ${vendor}: ${path}${foreign[0]}; use ${OBJECTS[vendor] ?? vendor} for the whole`
}

/** The library of a schema; undefined for JSON Schema. */
function findVendor(value: unknown): string | undefined {
  if (isPlainWithCheck(value)) return undefined
  return findStandardSchema(value)?.['~standard'].vendor ?? (isTypeBox(value) ? 'TypeBox' : undefined)
}
