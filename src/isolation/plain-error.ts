// An error → what crosses of it, and back.
import { isToolError, messageOf, nameOf } from '../execution/error-text.ts'
import { causesOf, stackOf } from '../execution/thrown.ts'
import { ToolError } from '../registry/content.ts'
import type { PlainError } from './wire.ts'

/** As much as is searched for secrets on the other side, so none is cut in two that would be shown. */
const MAX_TEXT = 10_000

export function toPlainError(thrown: unknown): PlainError {
  return { ...plainOf(thrown), causes: causesOf(thrown).map(plainOf) }
}

function plainOf(thrown: unknown): Omit<PlainError, 'causes'> {
  return {
    name: nameOf(thrown),
    message: messageOf(thrown).slice(0, MAX_TEXT),
    stack: stackOf(thrown).slice(0, MAX_TEXT),
    isToolError: isToolError(thrown),
  }
}

export function fromPlainError({ causes, ...plain }: PlainError): Error {
  const [error, ...others] = [plain, ...causes].map(restored) as [Error, ...Error[]]
  for (const [index, cause] of others.entries()) (others[index - 1] ?? error).cause = cause
  return error
}

function restored({ name, message, stack, isToolError }: Omit<PlainError, 'causes'>): Error {
  return isToolError ? new ToolError(message) : Object.assign(new Error(message), { name, stack })
}
