// Whether two JSON values are equal. Ajv's own comparison calls the `toString` or `valueOf` that it finds in a value, so
// that an argument `{"toString": 1}` made it throw.
// https://json-schema.org/draft/2020-12/json-schema-core, section 4.2.2.

export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(key => Object.hasOwn(right, key) && isEqual(left[key as never], right[key as never]))
}

/** Tells whether a value is one of these: at once for what is no object. */
export function createMembership(values: readonly unknown[]): (value: unknown) => boolean {
  const simple = new Set(values)
  const objects = values.filter(value => typeof value === 'object' && value !== null)
  return value => simple.has(value) || (typeof value === 'object' && objects.some(each => isEqual(each, value)))
}
