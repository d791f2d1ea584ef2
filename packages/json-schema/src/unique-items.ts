// `uniqueItems` in linear time, by texts with sorted members.
// https://json-schema.org/draft/2020-12/json-schema-core, section 4.2.2.
import stringify from 'safe-stable-stringify'

export function findDuplicate(items: readonly unknown[]): readonly [first: number, second: number] | undefined {
  const indexes = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    // A number is its own key (1 equals 1.0). A string becomes JSON, unlike the text of an object.
    const key = typeof item === 'number' ? item : stringify(item)
    const first = indexes.get(key)
    if (first !== undefined) return [first, index]
    indexes.set(key, index)
  }
  return undefined
}
