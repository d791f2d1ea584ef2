// Tells plain objects, also those of another realm (`node:vm`, Jest), from instances of classes.

export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isObjectPrototype(prototype as object)
}

/** Each realm has an `Object.prototype` of its own. */
function isObjectPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}
