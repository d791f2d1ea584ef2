// What the user is asked before a record is made: each field of it, so that no long value can push another out of sight.
import type { Data } from './record.ts'

const MAX_SHOWN = 1000
const MAX_VALUE = 100

/** Complete where it is short; else each long value is cut, and it is said by how much. */
export function shownData(data: Data): string {
  const whole = visible(JSON.stringify(data))
  if (whole.length <= MAX_SHOWN) return whole
  const fields = Object.entries(data).map(([name, value]) => `${visible(JSON.stringify(name))}: ${shownValue(value)}`)
  return `{ ${fields.join(', ')} }`
}

function shownValue(value: unknown): string {
  const text = visible(JSON.stringify(value))
  return text.length <= MAX_VALUE
    ? text
    : `${text.slice(0, MAX_VALUE)}… (and ${text.length - MAX_VALUE} more characters)`
}

// What has no shape of its own, such as a mark that turns the direction of writing, is stored too.
function visible(text: string): string {
  return text.replace(/\p{C}|[\u2028\u2029]/gu, mark => `\\u{${mark.codePointAt(0)?.toString(16)}}`)
}
