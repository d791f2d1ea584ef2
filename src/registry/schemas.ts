// Reads the schemas of a tool: JSON Schema directly, schemas of libraries through the seam below.

import { isWithinBounds } from '@toolrack/json-schema/bounds'
import { withoutFractions, withoutMetaReferences } from '@toolrack/json-schema/checkable'
import { toCompilable } from '@toolrack/json-schema/compilable'
import { toLocalReferences } from '@toolrack/json-schema/local-references'
import { compile, type Schema, SchemaError, type Validator } from '@toolrack/json-schema/validator'
import { isObject } from '../protocol/messages.ts'
import { describeValue } from '../text/describe-value.ts'
import { ExplainableError, RegistrationError } from './definition.ts'
import { JsonCopier, NotJsonError } from './json-copy.ts'
import { saysNothing } from './root-schema.ts'
import type { Parse } from './standard-schema.ts'

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

/**
 * The seam of schema libraries.
 *
 * @returns undefined for JSON Schema @throws SchemaFault with the fix
 */
export type ReadLibrarySchema = (schema: unknown, field: SchemaField) => ToolSchema | undefined

/** Why a schema is refused. The caller adds the name of the tool and the field. */
export class SchemaFault extends Error {
  override name = 'SchemaFault'
}

/** Copies the schema, so that a tool cannot change it later. @throws RegistrationError with the fix */
export function readSchema(
  name: unknown,
  field: SchemaField,
  schema: unknown,
  readLibrarySchema: ReadLibrarySchema = () => undefined,
): ToolSchema {
  try {
    const read = readLibrarySchema(schema, field) ?? readJsonSchema(schema, field)
    return { ...read, listed: withoutMetaReferences(read.listed) }
  } catch (thrown) {
    if (!(thrown instanceof SchemaFault)) throw thrown
    throw new RegistrationError('tool', name, `${field} ${thrown.message}`, { cause: thrown.cause })
  }
}

function readJsonSchema(schema: unknown, field: SchemaField): ToolSchema {
  const read = toJsonToolSchema(toLocal(copySchema(schema)), field)
  if (field === 'inputSchema') assertObject(read.listed)
  return read
}

/** @param schema JSON Schema, which is the whole check @throws SchemaFault */
export function toJsonToolSchema(schema: Schema, field: SchemaField): ToolSchema {
  if ('$schema' in schema && saysNothing(schema)) throw new SchemaFault(CONVERTED_TO_NOTHING)
  const listed = field === 'inputSchema' ? schema : withoutFractions(toCompilable(schema))
  return { listed, checked: schema, parse: undefined, slowPatterns: [] }
}

/** The result of zodToJsonSchema, which is for Zod 3, for every schema of Zod 4. */
const CONVERTED_TO_NOTHING =
  'says nothing but its $schema, so everything would pass; give the schema of the library itself, such as z.object({ … })'

/** Makes all references local. Keeps the schema as it is if that would exceed the bounds of schemas. */
export function toLocal(schema: Schema): Schema {
  const local = toLocalReferences(schema)
  return isWithinBounds(local) ? local : schema
}

/** @throws RegistrationError naming the field and the place within the schema */
export function compileSchema(name: string, field: SchemaField, { checked }: ToolSchema): Validator {
  try {
    return compile(checked)
  } catch (cause) {
    const fault = `${field}: ${cause instanceof Error ? cause.message : cause}`
    if (!(cause instanceof SchemaError)) throw new RegistrationError('tool', name, fault, { cause })
    throw new ExplainableError('tool', name, fault, { what: 'schema', issues: cause.issues }, { cause })
  }
}

const SCHEMAS = 'give a schema of Zod, Valibot, ArkType or TypeBox, as Type.Object({ … }), or JSON Schema'

/** @throws SchemaFault */
export function copySchema(schema: unknown): Schema {
  if (!isObject(schema)) throw new SchemaFault(`must be a schema, not ${describeValue(schema)}; ${SCHEMAS}`)
  try {
    return new JsonCopier({ maxBytes: MAX_SCHEMA_BYTES, tally: undefined }).copy(schema) as Schema
  } catch (cause) {
    // Leaves out the advice, which is for results.
    const fault = cause instanceof NotJsonError ? cause.fault : (cause as Error).message
    throw new SchemaFault(`is not plain JSON: ${fault}; ${SCHEMAS}`, { cause })
  }
}

export const JSON_OBJECT = `{ type: 'object', properties: { … } }`

/**
 * Checks that the schema describes an object, since arguments have names.
 *
 * @param object the library's way to write one; JSON Schema may lack the type until its shape is
 *   checked
 * @throws SchemaFault
 */
export function assertObject(listed: Schema, object?: string): void {
  const { type } = listed
  if (type === 'object' || (type === undefined && object === undefined)) return
  const alternatives = ['anyOf', 'oneOf'].map(keyword => listed[keyword]).find(Array.isArray) ?? []
  const types: unknown[] = [type ?? alternatives.map(each => isObject(each) && each['type'])].flat()
  if (types.includes('object') && types.includes('null'))
    throw new SchemaFault('may be null, which arguments never are; leave that away')
  const wrapped = (object ?? JSON_OBJECT).replace('…', 'value: …')
  throw new SchemaFault(`is not the schema of an object; arguments have names; wrap it: ${wrapped}`)
}
