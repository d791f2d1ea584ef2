// The argument with which a client names a call that must not act twice.
import type { Schema } from '../schema/validator.ts'
import { findDeclared, withProperty } from './root-schema.ts'

export const KEY_ARGUMENT = 'idempotencyKey'

const KEY_SCHEMA = Object.freeze({
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A key of your own for this call, such as a UUID. Call again with the same key and arguments, ' +
    'and you get the first result: nothing is done twice.',
})

/** Adds the argument to a schema that does not declare it. */
export function withKeyArgument(schema: Schema): Schema {
  return findDeclared(schema).has(KEY_ARGUMENT) ? schema : withProperty(schema, KEY_ARGUMENT, KEY_SCHEMA)
}
