// Whether a value is one of many. Ajv's own comparison calls `toString` and `valueOf` of a value, so it
// throws for an argument `{"toString": 1}`.
// https://json-schema.org/draft/2020-12/json-schema-core, section 4.2.2.
import { isEqual } from './reader.ts'

/** A check that a value is one of these; constant time unless the value is an object. */
export function createMembership(values: readonly unknown[]): (value: unknown) => boolean {
  const simple = new Set(values)
  const objects = values.filter(value => typeof value === 'object' && value !== null)
  return value => simple.has(value) || (typeof value === 'object' && objects.some(each => isEqual(each, value)))
}
