// `uniqueItems` in linear time: equal items have equal texts once their members are in one order.
// https://json-schema.org/draft/2020-12/json-schema-core, section 4.2.2.
import stringify from 'safe-stable-stringify'

/** The indexes of the first item that was there before, and of the one that it equals. */
export function findDuplicate(items: readonly unknown[]): readonly [first: number, second: number] | undefined {
  const indexes = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    // A number is a key of its own, as 1 and 1.0 are one; a text is written as JSON, so as not to equal one of an object.
    const key = typeof item === 'number' ? item : stringify(item)
    const first = indexes.get(key)
    if (first !== undefined) return [first, index]
    indexes.set(key, index)
  }
  return undefined
}
