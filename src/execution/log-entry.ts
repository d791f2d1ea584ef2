// What a handler logs, as JSON that is never refused as a whole: the message stays, whatever the data is.
import type { JsonValue } from '../protocol/messages.ts'
import { cleanLine, type StripCount } from '../registry/clean-text.ts'
import { JsonCopier, NotJsonError, TooLargeError } from '../registry/json-copy.ts'
import { isError, type Loss, toJsonForm } from '../registry/json-form.ts'
import { MAX_LEVELS, readErrorMembers } from '../text/thrown.ts'

/** Most bytes of JSON of an entry. */
export const MAX_ENTRY_BYTES = 32 * 1024

export interface EntryRules {
  readonly maxBytes: number
  /** Undefined leaves text unchanged. */
  readonly tally: StripCount | undefined
}

/** @param data undefined if the message stands alone */
export function toLogEntry(message: unknown, data: unknown, rules: EntryRules): JsonValue {
  const told = copyForLog(message, rules)
  if (data === undefined) return told.copy
  const maxBytes = rules.maxBytes - told.bytes
  return { message: told.copy, data: copyForLog(data, { ...rules, maxBytes }).copy }
}

// Logging must never fail the call.
function copyForLog(value: unknown, rules: EntryRules): { readonly copy: JsonValue; readonly bytes: number } {
  const copier = new LogCopier(rules)
  try {
    return { copy: copier.copy(value), bytes: copier.bytes }
  } catch (error) {
    return { copy: `(not logged: ${explainCopyError(error)})`, bytes: 0 }
  }
}

function explainCopyError(error: unknown): string {
  if (error instanceof TooLargeError) return `larger than ${MAX_ENTRY_BYTES} bytes`
  return error instanceof NotJsonError ? cleanLine(error.message) : 'reading it threw an error'
}

/** Writes errors, and what JSON has not; in place of what it would lose stands a text. */
class LogCopier extends JsonCopier {
  /** The objects around the value. */
  readonly #around = new Set<unknown>()
  #errors = 0

  override copy(value: unknown): JsonValue {
    if (this.#around.has(value)) return super.copy(toText({ what: 'is circular' }))
    if (isError(value)) return this.#copyError(value)
    const form = toJsonForm(value, '', toText)
    if (form === undefined) return this.#around.size === 0 ? super.copy(value) : null
    return typeof form === 'object' && form !== null ? this.#within(value, toMembers(form)) : super.copy(form)
  }

  #copyError(error: Error): JsonValue {
    this.#errors++
    const copy = this.#within(error, readErrorMembers(error, this.#errors <= MAX_LEVELS))
    this.#errors--
    return copy
  }

  #within(original: unknown, form: object): JsonValue {
    this.#around.add(original)
    const copy = super.copy(form)
    this.#around.delete(original)
    return copy
  }
}

const toText = ({ what, text }: Loss) => text ?? `(not logged: it ${what})`

/** As JSON does, without functions; an instance of a class becomes its members. */
function toMembers(form: object): object {
  if (Array.isArray(form)) return form
  return Object.fromEntries(Object.entries(form).filter(([, member]) => !LEFT_OUT.has(typeof member)))
}

const LEFT_OUT = new Set(['function', 'symbol'])
