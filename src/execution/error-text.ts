// Whatever a handler threw → one line that may be shown. Never a stack, never a cause.
import { types } from 'node:util'
import { cleanText } from '../registry/clean.ts'
import { ToolError } from '../registry/content.ts'
import type { Mask } from './mask.ts'

/** Longest error text that a client is shown, in characters. */
export const MAX_ERROR_TEXT = 2000
// Longer texts are cut before they are searched, so that masking has a bound too.
const MAX_RAW_TEXT = 10_000
/** Most of a token, or of a path, that may be left where a text was cut, in characters. */
const MAX_HALF = 500
const WITHOUT_MESSAGE = 'The tool failed without a message'

export function errorText(thrown: unknown, mask: Mask): string {
  const whole = messageOf(thrown)
  // Half a secret is none that the mask knows: what may be one is masked with its end, or left out.
  const half = Math.max(mask.longest ?? 0, MAX_HALF)
  const masked = mask(
    cleanText(whole.slice(0, MAX_RAW_TEXT + half))
      .replace(/\s+/g, ' ')
      .trim(),
  )
  const isWhole = whole.length <= MAX_RAW_TEXT + half
  return cut((isWhole ? masked : withoutEnd(masked, half)) || WITHOUT_MESSAGE, MAX_ERROR_TEXT)
}

const withoutEnd = (text: string, length: number) => (text.length > length ? `${text.slice(0, -length)}…` : '')

/** At most `length` characters, and no half of one at the end. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** An error that is safe to look at: what is none, such as a proxy, may throw wherever it is touched. */
export function asError(thrown: unknown): Error {
  // Without a stack: it would be the one of this line.
  return types.isNativeError(thrown) ? thrown : Object.assign(new Error(messageOf(thrown)), { stack: '' })
}

/** What is thrown says, uncut and unmasked. Messages may be getters that throw, and objects may be proxies. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (typeof thrown === 'object' && thrown !== null) {
      const { message } = thrown as { message?: unknown }
      return typeof message === 'string' ? message : WITHOUT_MESSAGE
    }
    // The text of a function is its source.
    return typeof thrown === 'function' || thrown === undefined || thrown === null ? '' : String(thrown as string)
  } catch {
    return 'The tool failed with an error that cannot be read'
  }
}

/** Whether the author meant the text for the model. */
export const isToolError = (thrown: unknown): boolean => isErrorOf(thrown, 'ToolError')

/** The same, or that the client has answered a question with an error: no fault of the handler. */
export const isExpected = (thrown: unknown): boolean => isToolError(thrown) || isErrorOf(thrown, 'Refused')

// By its name: of an error that comes from a thread, or of another copy of this package, the class is another.
function isErrorOf(thrown: unknown, name: 'ToolError' | 'Refused'): boolean {
  try {
    return (name === 'ToolError' && thrown instanceof ToolError) || (thrown instanceof Error && thrown.name === name)
  } catch {
    return false
  }
}

const MAX_NAME = 100

/** The name of what was thrown, such as TypeError. */
export function nameOf(thrown: unknown): string {
  try {
    const { name } = thrown as { name?: unknown }
    return typeof name === 'string' ? name.slice(0, MAX_NAME) : 'Error'
  } catch {
    return 'Error'
  }
}
