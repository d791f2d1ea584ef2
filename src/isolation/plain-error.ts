// An error → what crosses of it, and back.
import { isToolError, messageOf } from '../execution/error-text.ts'
import { stackOf } from '../execution/thrown.ts'
import { ToolError } from '../registry/content.ts'
import type { PlainError } from './wire.ts'

/** As much as is searched for secrets on the other side, so none is cut in two that would be shown. */
const MAX_TEXT = 10_000

export function toPlainError(thrown: unknown): PlainError {
  return {
    name: nameOf(thrown),
    message: messageOf(thrown).slice(0, MAX_TEXT),
    stack: stackOf(thrown).slice(0, MAX_TEXT),
    isToolError: isToolError(thrown),
  }
}

export function fromPlainError({ name, message, stack, isToolError }: PlainError): Error {
  return isToolError ? new ToolError(message) : Object.assign(new Error(message), { name, stack })
}

function nameOf(thrown: unknown): string {
  try {
    const { name } = thrown as { name?: unknown }
    return typeof name === 'string' ? name.slice(0, 100) : 'Error'
  } catch {
    return 'Error'
  }
}
