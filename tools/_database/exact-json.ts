// Parses JSON and keeps numbers exact: a number that a double cannot hold becomes its text.
import { ToolError } from 'toolrack'

/** Digits that distinguish any two doubles. */
const MAX_DIGITS = 17

export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, exact)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ToolError('A JSON value in the result is nested too deeply. Select a part of it.')
  }
}

// TypeScript does not declare the third argument of a reviver yet.
function exact(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__')
    throw new ToolError('A JSON value in the result has a key __proto__. Select it as text: x::text.')
  if (typeof value !== 'number' || context?.source === undefined) return value
  return isExact(value, context.source) ? value : context.source
}

// A double is exact if its shortest decimal equals the source, be it 5e-7 or 5e-07; with at most
// 15 digits it always is.
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value)
  const written = decimalOf(source)
  return decimalOf(String(value)) === written || (/e/i.test(source) && isRoundedTo(written, value))
}

// PostgreSQL's shortest decimal may be longer: it writes 1e23 as 9.999999999999999e+22. A numeric
// has no exponent.
function isRoundedTo(written: string, value: number): boolean {
  const digits = written.indexOf('e')
  return digits >= 1 && digits <= MAX_DIGITS && decimalOf(value.toPrecision(digits)) === written
}

/** Digits without zeros at both ends, and the power of ten of the last digit; drops the sign. */
function decimalOf(source: string): string {
  const [mantissa = '', power = '0'] = source.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  // No regular expression: in a hundred thousand zeros, it would search for the last one from each.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(power) - fraction.length + digits.length - end}`
}
