// JSON whose numbers are what was written: what a double cannot hold stays the text that it was.
import { ToolError } from 'toolrack'

const EXACT_DIGITS = 15

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

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value)
  const digits = source.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
  return String(value) === source || (digits.length <= EXACT_DIGITS && (value !== 0 || digits === ''))
}
