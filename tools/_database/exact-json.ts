// JSON whose numbers are what was written: what a double cannot hold stays the text that it was.
import { ToolError } from 'toolrack'

/** Of the decimal of a double. */
const MAX_DIGITS = 17

export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, exact)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ToolError('A JSON value in the result is nested too deeply. Select a part of it.')
  }
}

// The types of the language do not know the third argument yet.
function exact(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__')
    throw new ToolError('A JSON value in the result has a key __proto__. Select it as text: x::text.')
  if (typeof value !== 'number' || context?.source === undefined) return value
  return isExact(value, context.source) ? value : context.source
}

// A double is exact where its shortest decimal is what was written, be it 5e-7 or 5e-07; with 15 digits or fewer it always is.
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value)
  const written = decimalOf(source)
  return decimalOf(String(value)) === written || (/e/i.test(source) && isRoundedTo(written, value))
}

// PostgreSQL's shortest decimal may be longer: 9.999999999999999e+22 is what it writes of 1e23. A numeric has no exponent.
function isRoundedTo(written: string, value: number): boolean {
  const digits = written.indexOf('e')
  return digits >= 1 && digits <= MAX_DIGITS && decimalOf(value.toPrecision(digits)) === written
}

/** Its digits without the zeros at both ends, and the power of ten of the last one; the sign is left out. */
function decimalOf(source: string): string {
  const [mantissa = '', power = '0'] = source.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  // Not by a pattern: among a hundred thousand zeros it would look for the last one from each.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(power) - fraction.length + digits.length - end}`
}
