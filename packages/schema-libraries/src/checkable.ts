// The part of a library's JSON Schema that Ajv checks. The library checks the value again, with its
// own formats, and with the flags of its patterns, which JSON Schema lacks. It may count a text
// after trimming it, and in its own units.
import { always, isFraction, someSchema, withoutKeywords } from '@toolrack/json-schema/checkable'
import type { Schema } from '@toolrack/json-schema/validator'

/** Keywords that only the library checks. */
const UNCHECKABLE = {
  format: always,
  pattern: always,
  patternProperties: always,
  minLength: always,
  maxLength: always,
  // Libraries and clients differ on fractions: 0.3 may or may not count as a multiple of 0.1.
  multipleOf: isFraction,
}

const SAFE_FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'ipv4', 'uuid'])

/** @returns a schema that accepts every value that `schema` accepts */
export const toCheckable = (schema: Schema): Schema => withoutKeywords(schema, UNCHECKABLE)

/**
 * The same for clients, which check results by the listed schema. They read dates as libraries do.
 *
 * @returns a schema that accepts every value that `schema` accepts
 */
export const toListedOutput = (schema: Schema): Schema =>
  withoutKeywords(schema, { ...UNCHECKABLE, format: format => !SAFE_FORMATS.has(format) })

/** The patterns of texts and of names. */
export function findPatterns(schema: Schema): readonly string[] {
  const found: unknown[] = []
  someSchema(schema, ({ pattern, patternProperties }) => {
    found.push(pattern, ...Object.keys(patternProperties ?? {}))
    return false
  })
  return found.filter(each => typeof each === 'string')
}
