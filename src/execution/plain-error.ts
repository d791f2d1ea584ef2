// Errors as JSON, with their causes: for another process, and for thrown values that are not errors.
import { types } from 'node:util'
import { NotAwaited } from '../input/watch.ts'
import { isObject } from '../protocol/messages.ts'
import { ToolError } from '../registry/content.ts'
import { MAX_CAUSES, MAX_LEVELS, readDirectCauses, readErrorMessage, readErrorName, readStack } from '../text/thrown.ts'
import { isToolError } from './error-text.ts'

export interface PlainError {
  readonly name: string
  readonly message: string
  /** For the log. */
  readonly stack: string
  readonly isToolError: boolean
  /** With the errors within it, as many as `readCauses` reads. */
  readonly causes: readonly PlainError[]
}

/** The server masks this many characters; a shorter cut could leave half a secret. */
const MAX_TEXT = 10_000

export function toPlainError(thrown: unknown): PlainError {
  let left = MAX_CAUSES
  const toPlain = (error: unknown, levels: number): PlainError => {
    const causes = levels === 0 ? [] : readDirectCauses(error).slice(0, left)
    left -= causes.length
    return {
      // An object could otherwise name itself ToolError.
      name: types.isNativeError(error) ? readErrorName(error) : 'Error',
      message: readErrorMessage(error).slice(0, MAX_TEXT),
      stack: readStack(error).slice(0, MAX_TEXT),
      isToolError: isToolError(error),
      causes: causes.map(cause => toPlain(cause, levels - 1)),
    }
  }
  return toPlain(thrown, MAX_LEVELS)
}

export function fromPlainError({ name, message, stack, isToolError, causes }: PlainError): Error {
  const error = isToolError ? Object.assign(new ToolError(message), { name }) : restore(name, message, stack)
  const restored = causes.map(fromPlainError)
  if (restored.length === 1) error.cause = restored[0]
  return restored.length > 1 ? Object.assign(error, { errors: restored }) : error
}

const restore = (name: string, message: string, stack: string): Error =>
  Object.assign(name === 'NotAwaited' ? new NotAwaited(message) : new Error(message), { name, stack })

/** Checks a value that another process has sent. */
export function isPlainError(value: unknown, levels = MAX_LEVELS): value is PlainError {
  if (!isObject(value) || levels < 0) return false
  const { name, message, stack, causes } = value
  return (
    [name, message, stack].every(text => typeof text === 'string') &&
    Array.isArray(causes) &&
    causes.length <= MAX_CAUSES &&
    causes.every(cause => isPlainError(cause, levels - 1))
  )
}

/** An error that is safe to read. Other values, such as a proxy, may throw on any access. */
export function asError(thrown: unknown): Error {
  if (types.isNativeError(thrown)) return thrown
  return fromPlainError(toPlainError(thrown))
}
