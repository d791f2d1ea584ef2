// A call's arguments in the audit: their names, or their values, masked and bounded.
import type { JsonObject } from 'toolrack'
import type { Mask } from 'toolrack/execution'
import { isObject } from 'toolrack/protocol'
import type { NameCleaner } from 'toolrack/records'
import { cleanText, isSecretName, toNewName } from 'toolrack/text'

const MAX_NAMES = 32
const MAX_ARGUMENT_DEPTH = 8
const MAX_VALUE_LENGTH = 500
/** Longer texts are cut before they are masked. */
const MAX_RAW_TEXT = 10_000
/** Approximate JSON bytes of all values of a call, without brackets. */
const MAX_ARGUMENT_BYTES = 4096

const MASKED = '[masked]'
const LEFT_OUT = '…'

/** The first names of arguments. */
export function listArgumentNames(args: unknown, cleanName: NameCleaner['name']): string[] | undefined {
  if (!isObject(args)) return undefined
  const names: string[] = []
  // Unlike `Object.keys`, this builds no list of all names.
  for (const name in args) {
    if (names.length === MAX_NAMES) return [...names, LEFT_OUT]
    names.push(cleanName(name))
  }
  return names
}

interface Writer {
  readonly mask: Mask
  readonly cleanName: NameCleaner['name']
  bytesLeft: number
}

/** Copies with bounded size and depth. Masks secrets, and values of keys such as `password`. */
export function copyArgumentValues(args: unknown, parts: Pick<Writer, 'mask' | 'cleanName'>): unknown {
  if (!isObject(args)) return undefined
  return copyObject({ ...parts, bytesLeft: MAX_ARGUMENT_BYTES }, args, MAX_ARGUMENT_DEPTH)
}

function copy(writer: Writer, value: unknown, depth: number): unknown {
  if (writer.bytesLeft <= 0) return LEFT_OUT
  if (typeof value === 'string') return spendBytes(writer, copyText(writer, value))
  if (typeof value !== 'object' || value === null) return spendBytes(writer, value)
  if (depth === 0) return LEFT_OUT
  return Array.isArray(value) ? copyArray(writer, value, depth) : copyObject(writer, value as JsonObject, depth)
}

/** JSON holds them as they are, and some readers of logs begin a line after one. */
const SEPARATORS = /[\u2028\u2029]/g

function copyText({ mask }: Writer, text: string): string {
  const masked = mask(cleanText(text.slice(0, MAX_RAW_TEXT)).replace(SEPARATORS, '\n'))
  if (masked.length <= MAX_VALUE_LENGTH && text.length <= MAX_RAW_TEXT) return masked
  return `${masked.slice(0, MAX_VALUE_LENGTH).toWellFormed()}${LEFT_OUT}`
}

function copyArray(writer: Writer, values: readonly unknown[], depth: number): unknown[] {
  const copied: unknown[] = []
  for (const value of values) {
    // Brackets count too, or empty arrays would be free.
    writer.bytesLeft -= 2
    copied.push(copy(writer, value, depth - 1))
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function copyObject(writer: Writer, values: JsonObject, depth: number): JsonObject {
  const copied: JsonObject = Object.create(null)
  for (const key in values) {
    const name = toNewName(copied, writer.cleanName(key))
    writer.bytesLeft -= Buffer.byteLength(name) + 4
    copied[name] = isSecretName(key) ? spendBytes(writer, MASKED) : copy(writer, values[key], depth - 1)
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function spendBytes(writer: Writer, value: unknown): unknown {
  writer.bytesLeft -= Buffer.byteLength(JSON.stringify(value) ?? '')
  return value
}
