// Whether a text is the JSON of a value: however it is spaced, and in whatever order its keys are.
import { isObject } from './messages.ts'

/** Indented for a reader, JSON grows by less. A text that is longer is something else, and not worth parsing. */
const MAX_SPACING = 16

/** @param json the value as `JSON.stringify` writes it: most texts are told by it alone */
export function isJsonOf(text: string, value: unknown, json: string): boolean {
  if (text === json) return true
  if (text.length > json.length * MAX_SPACING || text.trimStart()[0] !== json[0]) return false
  try {
    return isSame(value, JSON.parse(text))
  } catch {
    return false
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}
