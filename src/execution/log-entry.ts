// Turns what a handler logs into JSON that is masked and bounded. A text replaces a value that
// cannot be logged, and the values around it stay: logging must never fail the call.
import type { JsonValue } from '../protocol/messages.ts'
import { isError, type Loss, toJsonForm } from '../registry/json-form.ts'
import { cleanText } from '../text/clean.ts'
import { toNewName } from '../text/new-name.ts'
import { cutText } from '../text/one-line.ts'
import { isSecretName } from '../text/secret-names.ts'
import { MAX_LEVELS, readErrorMembers } from '../text/thrown.ts'
import { cutMasked } from './error-text.ts'
import { type Mask, SECRET } from './mask.ts'

/** Most bytes of JSON of an entry. */
export const MAX_ENTRY_BYTES = 32 * 1024
/** Share of an entry that one text may take. */
const TEXT_SHARE = 1 / 8
/** Bytes that each later member gets at least, while half of the rest is enough for that. */
const MEMBER_BYTES = 1024
/** Bytes below which an entry is full. */
const MIN_BYTES = 64
const MAX_DEPTH = 100

export interface EntryRules {
  readonly maxBytes: number
  readonly mask: Mask
}

export interface LogParts {
  readonly message: JsonValue
  /** Absent if there is only the message. */
  readonly data?: JsonValue
}

export function toLogEntry(message: unknown, data: unknown, rules: EntryRules): JsonValue {
  const parts = toLogParts(message, data, rules)
  return parts.data === undefined ? parts.message : { ...parts }
}

export function toLogParts(message: unknown, data: unknown, rules: EntryRules): LogParts {
  const parts = { message: nameType(message), ...(data !== undefined && { data: nameType(data) }) }
  return new LogCopier(rules).copy(parts) as unknown as LogParts
}

/** As in JSON, an object leaves out members of these types. */
const LEFT_OUT = new Set(['undefined', 'function', 'symbol'])

function nameType(value: unknown): unknown {
  if (value === undefined) return toText({ what: 'is undefined' })
  return LEFT_OUT.has(typeof value) ? toText({ what: `is a ${typeof value}` }) : value
}

const toText = ({ what, text }: Loss) => text ?? `(not logged: it ${what})`

/** Also writes errors, and other values that JSON lacks. */
class LogCopier {
  readonly #mask: Mask
  readonly #maxText: number
  /** Bytes that are left. */
  #left: number
  /** The objects that contain the value. */
  readonly #around = new Set<unknown>()
  #errors = 0

  constructor({ maxBytes, mask }: EntryRules) {
    this.#mask = mask
    this.#maxText = maxBytes * TEXT_SHARE
    this.#left = maxBytes
  }

  copy(value: unknown): JsonValue {
    if (this.#around.has(value)) return this.#text(toText({ what: 'is circular' }))
    if (isError(value)) return this.#copyError(value)
    const form = toJsonForm(value, '', toText)
    if (typeof form === 'string') return this.#text(form)
    this.#left -= 5
    return typeof form === 'object' && form !== null ? this.#within(value, form) : ((form ?? null) as JsonValue)
  }

  #copyError(error: Error): JsonValue {
    this.#errors++
    const copy = this.#within(error, readErrorMembers(error, this.#errors <= MAX_LEVELS))
    this.#errors--
    return copy
  }

  #within(original: unknown, form: object): JsonValue {
    if (this.#around.size > MAX_DEPTH) return this.#text(toText({ what: `is nested deeper than ${MAX_DEPTH}` }))
    const names = Array.isArray(form) ? undefined : Object.keys(form)
    this.#around.add(original)
    const copy = names === undefined ? this.#array(form as unknown[]) : this.#object(form, names)
    this.#around.delete(original)
    return copy
  }

  #array(list: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = []
    for (let at = 0; at < list.length; at++) {
      const later = list.length - at
      if (this.#left < MIN_BYTES) return [...copy, toMore(later)]
      copy.push(this.#member(list, at, later - 1) ?? null)
    }
    return copy
  }

  #object(form: object, names: readonly string[]): Record<string, JsonValue> {
    const copy: Record<string, JsonValue> = {}
    for (const [at, key] of names.entries()) {
      const later = names.length - at
      if (this.#left < MIN_BYTES) return { ...copy, '…': toMore(later) }
      const member = this.#member(form, key, later - 1)
      if (member === undefined) continue
      // A member of this name would be the copy's prototype.
      const name = key === '__proto__' ? '(__proto__)' : this.#text(key)
      copy[toNewName(copy, name)] = isSecretMember(key, member) ? SECRET : member
    }
    return copy
  }

  #member(form: object, key: string | number, later: number): JsonValue | undefined {
    const kept = Math.min(this.#left / 2, later * MEMBER_BYTES)
    this.#left -= kept
    try {
      const member = (form as Record<string | number, unknown>)[key]
      return LEFT_OUT.has(typeof member) ? undefined : this.copy(member)
    } catch {
      return this.#text('(not logged: reading it threw an error)')
    } finally {
      this.#left += kept
    }
  }

  #text(text: string): string {
    const most = this.#around.size === 1 ? this.#left : Math.min(this.#left, this.#maxText)
    const length = Math.max(Math.floor(most), MIN_BYTES)
    const copy = cutText(cutMasked(text, length, cleanText, this.#mask), length)
    this.#left -= copy.length + 3
    return copy
  }
}

const toMore = (members: number) => `(not logged: ${members} more)`

function isSecretMember(name: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean') return false
  // Token counts of a model are not secret.
  return isSecretName(name) && !(typeof value === 'number' && /tokens$/i.test(name))
}
