// Reads the schema of a library: by Standard Schema, or of TypeBox, which is JSON Schema except for
// a few keywords. Refuses values that are not schemas: read as JSON Schema, they would accept
// everything.

import { toCompilable } from '@toolrack/json-schema/compilable'
import { findDialect } from '@toolrack/json-schema/dialect'
import { isPlain } from '@toolrack/json-schema/plain-pattern'
import type { Schema } from '@toolrack/json-schema/validator'
import type { StandardSchema } from 'toolrack'
import {
  assertObject,
  copySchema,
  SchemaFault,
  type SchemaField,
  type ToolSchema,
  toJsonToolSchema,
  toLocal,
} from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { findPatterns, toCheckable, toListedOutput } from './checkable.ts'
import { type LibraryJsonSchema, toJsonSchema } from './json-schema.ts'
import { repairListing } from './listing.ts'
import { withObjectType } from './object-type.ts'
import { createParse, findStandardSchema } from './standard-schema.ts'
import { withTimeLimit } from './time-limit.ts'
import { findTypeBoxFault, holdsTypeBox, isTypeBox, rewriteTypeBox } from './typebox.ts'
import { findUncalled } from './uncalled.ts'
import { findObject, findWrapper, isPlainWithCheck } from './vendors.ts'

/** @returns undefined for JSON Schema @throws SchemaFault with the fix */
export function readLibrarySchema(schema: unknown, field: SchemaField): ToolSchema | undefined {
  const uncalled = findUncalled(schema)
  if (uncalled !== undefined) throw new SchemaFault(uncalled)
  const read = readOwn(schema, field)
  if (read !== undefined && field === 'inputSchema') assertObject(read.listed, findObject(schema))
  return read
}

function readOwn(schema: unknown, field: SchemaField): ToolSchema | undefined {
  const standard = findStandardSchema(schema)
  if (standard !== undefined) return readStandardSchema(standard, field)
  if (!isObject(schema)) return undefined
  const wrapper = findWrapper(schema)
  if (wrapper !== undefined) throw new SchemaFault(wrapper)
  return holdsTypeBox(schema) ? readTypeBox(schema, field) : undefined
}

function readTypeBox(schema: object, field: SchemaField): ToolSchema {
  const copy = copySchema(schema)
  const fault = findTypeBoxFault(schema)
  if (fault !== undefined) throw new SchemaFault(fault)
  if (findDialect(copy['$schema']) !== 'draft-07') rewriteTypeBox(schema, copy)
  const local = toLocal(copy)
  return toJsonToolSchema(isTypeBox(schema) ? withObjectType(local) : local, field)
}

function readStandardSchema(standard: StandardSchema, field: SchemaField): ToolSchema {
  try {
    assertValidates(standard)
    const direction = field === 'inputSchema' ? 'input' : 'output'
    const parse = createParse(standard, direction)!
    const { schema, unlistedPatterns }: LibraryJsonSchema = isPlainWithCheck(standard)
      ? { schema: standard as unknown as Schema, unlistedPatterns: [] }
      : toJsonSchema(standard, direction)
    const said = toLocal(copySchema(schema))
    const slowPatterns = [...new Set([...findPatterns(said), ...unlistedPatterns])].filter(each => !isPlain(each))
    const { vendor } = standard['~standard']
    const repaired = withObjectType(repairListing(said, { poolsProperties: vendor !== 'valibot' }))
    const listed = direction === 'input' ? repaired : toListedOutput(toCompilable(repaired))
    const checked = toCheckable(listed)
    return { listed, checked, parse: slowPatterns.length > 0 ? withTimeLimit(parse) : parse, slowPatterns }
  } catch (cause) {
    throw cause instanceof SchemaFault ? cause : new SchemaFault((cause as Error).message, { cause })
  }
}

function assertValidates({ '~standard': { vendor, validate } }: StandardSchema): void {
  if (typeof validate !== 'function')
    throw new Error(`is a schema of ${vendor} that checks nothing: ~standard.validate is not a function`)
}
