// The argument by which a client identifies a call that must not act twice.
import type { Schema } from '@toolrack/json-schema/validator'
import { RegistrationError } from './definition.ts'
import { findPropertySchemas, mayBeString, withProperty } from './root-schema.ts'

export const KEY_ARGUMENT = 'idempotencyKey'
/** Code points. */
export const MAX_KEY_LENGTH = 255

const KEY_SCHEMA = Object.freeze({
  type: 'string',
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
  description:
    'A key of your own for this call, such as a UUID. Call again with the same key and arguments, ' +
    'and you get the first result: nothing is done twice.',
})

/**
 * Adds the argument to a schema that does not declare it.
 *
 * @throws RegistrationError if the schema takes no key by that name
 */
export function withKeyArgument(tool: string, schema: Schema): Schema {
  const refuse = (text: string) =>
    new RegistrationError('tool', tool, `inputSchema: ${KEY_ARGUMENT} names a call, and must be a string; ${text}`)
  const { own, byPattern } = findPropertySchemas(schema, KEY_ARGUMENT)
  const isString = (each: unknown) => mayBeString(schema, each)
  if (!byPattern.every(isString)) throw refuse('put what patternProperties describes into an object of its own')
  if (own.length === 0) return withProperty(schema, KEY_ARGUMENT, KEY_SCHEMA)
  if (!own.some(isString)) throw refuse('leave it out, or give yours another name')
  return schema
}
