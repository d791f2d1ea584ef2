// Copies any value to plain JSON, cleaned and measured, or throws if it is not JSON. Getters,
// proxies and toJSON run here, inside the call's try block, and not while the answer is written.

import { formatPath } from '@toolrack/json-schema/pointer'
import type { JsonValue } from '../protocol/messages.ts'
import { cleanText, type StripCount } from '../text/clean.ts'
import { isFileContent, MISPLACED_FILE } from './file-content.ts'
import { findPlainFix, JSON_FIX } from './json-form.ts'
import { isPlainObject } from './plain-object.ts'

export class NotJsonError extends Error {
  override name = 'NotJson'
  /** The message without the advice what to write instead. */
  readonly fault: string

  constructor(fault: string, fix?: string) {
    super(fix === undefined ? fault : `${fault}: ${fix}`)
    this.fault = fault
  }
}

export class TooLargeError extends Error {
  override name = 'TooLarge'
}

export interface CopyRules {
  readonly maxBytes: number
  /** If undefined, text is not cleaned. */
  readonly tally: StripCount | undefined
}

const MAX_DEPTH = 100
/** Keys of a path in an error. */
const MAX_SHOWN_KEYS = 10

/** One copy; `bytes` is a lower bound of the JSON's size. */
export class JsonCopier {
  bytes = 0
  readonly #rules: CopyRules
  readonly #path: (string | number)[] = []

  constructor(rules: CopyRules) {
    this.#rules = rules
  }

  /** @throws NotJson with the path; TooLarge above `maxBytes` */
  copy(value: unknown): JsonValue {
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'boolean':
        this.#count(4)
        return value
      case 'number':
        if (!Number.isFinite(value)) throw this.#fault(`is ${value}`)
        this.#count(1)
        // Turns -0 into 0: JSON has no -0, and the check of the output would not take it for an
        // integer.
        return value + 0
      case 'object':
        return value === null ? null : this.#container(value)
      default:
        if (value === undefined) throw this.#fault('is undefined')
        throw this.#fault(`is a ${typeof value}`, typeof value === 'bigint' ? JSON_FIX : undefined)
    }
  }

  #container(value: object): JsonValue {
    if (this.#path.length >= MAX_DEPTH) throw this.#fault(`is circular or nested deeper than ${MAX_DEPTH}`)
    return Array.isArray(value) ? this.#array(value) : this.#object(value)
  }

  #array(value: readonly unknown[]): JsonValue[] {
    this.#count(2 + value.length)
    const copy: JsonValue[] = []
    for (let index = 0; index < value.length; index++) copy.push(this.#member(index, value[index]))
    return copy
  }

  #object(value: object): JsonValue {
    if (!isPlainObject(value)) throw this.#refuseInstance(value)
    this.#count(2)
    const copy: Record<string, JsonValue> = {}
    let isChanged = false
    for (const key of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[key]
      if (member === undefined) continue
      const name = this.#text(key)
      if (name === '__proto__') throw this.#fault('has a key that names its prototype')
      // Two keys may be equal once they are cleaned, in either order.
      if (name !== key) isChanged = true
      if (isChanged && Object.hasOwn(copy, name)) throw this.#fault(`has two keys that become ${JSON.stringify(name)}`)
      copy[name] = this.#member(key, member)
    }
    return copy
  }

  // The path is a stack that becomes a string only for an error.
  #member(key: string | number, value: unknown): JsonValue {
    this.#path.push(key)
    const copy = this.copy(value)
    this.#path.pop()
    return copy
  }

  #refuseInstance(value: object): NotJsonError {
    return isFileContent(value)
      ? this.#fault(MISPLACED_FILE)
      : this.#fault(describeInstance(value), findPlainFix(value))
  }

  #fault(what: string, fix?: string): NotJsonError {
    const more = this.#path.length > MAX_SHOWN_KEYS ? '…' : ''
    return new NotJsonError(`${formatPath(this.#path.slice(0, MAX_SHOWN_KEYS))}${more} ${what}`, fix)
  }

  #text(value: string): string {
    this.#count(value.length + 3)
    const { tally } = this.#rules
    return tally === undefined ? value.toWellFormed() : cleanText(value, tally)
  }

  #count(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.#rules.maxBytes) throw new TooLargeError(`larger than ${this.#rules.maxBytes} bytes`)
  }
}

/** Copies a value that was parsed from JSON, perhaps by a parser that accepts any key. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    // It would become the prototype of the copy.
    if (key !== '__proto__') copy[key] = copyJson((value as Record<string, unknown>)[key])
  }
  return copy as T
}

function describeInstance(value: object): string {
  const { constructor: maker } = Object.getPrototypeOf(value) as { constructor?: unknown }
  const name = typeof maker === 'function' && maker.name !== '' ? maker.name : 'class instance'
  return `is ${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}, not a plain object`
}
