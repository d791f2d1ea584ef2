// The part of a library's JSON Schema that Ajv checks. The library checks the value again, with
// formats of its own, and with the flags of its patterns, which JSON Schema does not have. It counts
// a text after it has trimmed it, and in units of its own.
import { always, isFraction, someSchema, withoutKeywords } from '@toolrack/json-schema/checkable'
import type { Schema } from '@toolrack/json-schema/validator'

/** Left to the library. */
const UNCHECKABLE = {
  format: always,
  pattern: always,
  patternProperties: always,
  minLength: always,
  maxLength: always,
  // Of fractions, libraries and clients have rules of their own: 0.3 is a multiple of 0.1, or it is not.
  multipleOf: isFraction,
}

const SAFE_FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'ipv4', 'uuid'])

/** @returns a schema that every value passes which passes `schema` */
export const toCheckable = (schema: Schema): Schema => withoutKeywords(schema, UNCHECKABLE)

/**
 * The same for clients, which check results by the listed schema. They read dates as libraries do.
 *
 * @returns a schema that every value passes which passes `schema`
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
