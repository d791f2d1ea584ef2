// Builds the question to the user before a record is created. It shows every field, so that a long
// value cannot hide another one.
import type { Data } from './record.ts'

const MAX_SHOWN = 1000
const MAX_VALUE = 100

/** Shows short data in full; otherwise cuts each long value and says by how much. */
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

// Invisible characters, such as marks that reverse the direction of writing, are stored too, so
// they are shown as escapes.
function visible(text: string): string {
  return text.replace(/\p{C}|[\u2028\u2029]/gu, mark => `\\u{${mark.codePointAt(0)?.toString(16)}}`)
}
