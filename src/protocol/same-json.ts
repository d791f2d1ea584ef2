// Whether a text is the JSON of a value.
import { isEqual } from '@toolrack/json-schema/reader'

/** Indentation makes JSON grow by less; a longer text is not worth parsing. */
const MAX_SPACING = 16

/** Ignores spacing and the order of keys. @param json `JSON.stringify(value)`, compared first */
export function isSameJson(text: string, value: unknown, json: string): boolean {
  if (text === json) return true
  if (text.length > json.length * MAX_SPACING || text.trimStart()[0] !== json[0]) return false
  try {
    return isEqual(value, JSON.parse(text))
  } catch {
    return false
  }
}
