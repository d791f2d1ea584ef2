// What a call was given, as an audit may hold it: names; or, where the operator asks for it, values
// without secrets.
import type { Mask } from '../execution/mask.ts'
import { isSecretName } from '../execution/secrets.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean-text.ts'

// Names that clients made up, as an audit may hold them: one short line each, without secrets.

export type CleanName = (raw: string, maxLength?: number) => string

const MAX_NAME = 128
/**
 * Longer names are cut before they are searched; a token may be longer than the name that is kept.
 */
const MAX_RAW = 2000
/** Most names come again and again; what was made of one is kept. */
const MAX_KEPT = 1000

/** @param mask takes secrets out */
export function createNameCleaner(mask: Mask): CleanName {
  const kept = new Map<string, string>()
  const clean = (raw: string, maxLength: number) => {
    const oneLine = cleanText(raw.slice(0, MAX_RAW)).replace(/[\s\u2028\u2029\p{Cf}]+/gu, ' ')
    return cutText(mask(oneLine), maxLength)
  }
  return (raw, maxLength = MAX_NAME) => {
    if (raw.length > MAX_NAME || maxLength !== MAX_NAME) return clean(raw, maxLength)
    let name = kept.get(raw)
    if (name !== undefined) return name
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(raw, (name = clean(raw, maxLength)))
    return name
  }
}

const cutText = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text

const MAX_NAMES = 32
const MAX_ARGUMENT_DEPTH = 8
const MAX_VALUE_LENGTH = 500
/** Longer texts are cut before they are searched. */
const MAX_RAW_TEXT = 10_000
/** JSON of all values of one call, about; the brackets come on top. */
const MAX_ARGUMENT_BYTES = 4096

const MASKED = '[masked]'
const LEFT_OUT = '…'

/** The names at the top of the arguments, the first of them. */
export function listArgumentNames(args: unknown, cleanName: CleanName): string[] | undefined {
  if (!isObject(args)) return undefined
  const names: string[] = []
  // Not `Object.keys`, which would make a list of ten thousand for thirty-two.
  for (const name in args) {
    if (names.length === MAX_NAMES) return [...names, LEFT_OUT]
    names.push(cleanName(name))
  }
  return names
}

interface Writer {
  readonly mask: Mask
  readonly cleanName: CleanName
  bytesLeft: number
}

/**
 * A copy of bounded size and depth; values under keys such as `password`, and what looks like a
 * secret, are masked.
 */
export function copyArgumentValues(args: unknown, parts: { mask: Mask; cleanName: CleanName }): unknown {
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

function copyText({ mask }: Writer, text: string): string {
  const masked = mask(cleanText(text.slice(0, MAX_RAW_TEXT)).replace(/[\u2028\u2029]/g, ' '))
  if (masked.length <= MAX_VALUE_LENGTH && text.length <= MAX_RAW_TEXT) return masked
  return `${masked.slice(0, MAX_VALUE_LENGTH).toWellFormed()}${LEFT_OUT}`
}

function copyArray(writer: Writer, values: readonly unknown[], depth: number): unknown[] {
  const copied: unknown[] = []
  for (const value of values) {
    // Their brackets cost too, or empty arrays would be free.
    writer.bytesLeft -= 2
    copied.push(copy(writer, value, depth - 1))
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function copyObject(writer: Writer, values: JsonObject, depth: number): JsonObject {
  const copied: JsonObject = Object.create(null)
  for (const key in values) {
    const name = writer.cleanName(key)
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
