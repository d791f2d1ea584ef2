// What a call was given, as an audit may hold it: names; or, where the operator asks for it, values without secrets.
import type { Mask } from '../execution/mask.ts'
import { isSecretName } from '../execution/secret-names.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean.ts'
import type { CleanName } from './names.ts'

const MAX_NAMES = 32
const MAX_DEPTH = 8
const MAX_TEXT = 500
/** Longer texts are cut before they are searched. */
const MAX_RAW_TEXT = 10_000
/** JSON of all values of one call, about; the brackets come on top. */
const MAX_BYTES = 4096

const MASKED = '[masked]'
const LEFT_OUT = '…'

/** The names at the top of the arguments, the first of them. */
export function argumentNames(args: unknown, cleanName: CleanName): string[] | undefined {
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

/** A copy of bounded size and depth; values under keys such as `password`, and what looks like a secret, are masked. */
export function argumentValues(args: unknown, parts: { mask: Mask; cleanName: CleanName }): unknown {
  if (!isObject(args)) return undefined
  return copyObject({ ...parts, bytesLeft: MAX_BYTES }, args, MAX_DEPTH)
}

function copy(writer: Writer, value: unknown, depth: number): unknown {
  if (writer.bytesLeft <= 0) return LEFT_OUT
  if (typeof value === 'string') return spend(writer, copyText(writer, value))
  if (typeof value !== 'object' || value === null) return spend(writer, value)
  if (depth === 0) return LEFT_OUT
  return Array.isArray(value) ? copyArray(writer, value, depth) : copyObject(writer, value as JsonObject, depth)
}

function copyText({ mask }: Writer, text: string): string {
  const masked = mask(cleanText(text.slice(0, MAX_RAW_TEXT)).replace(/[\u2028\u2029]/g, ' '))
  if (masked.length <= MAX_TEXT && text.length <= MAX_RAW_TEXT) return masked
  return `${masked.slice(0, MAX_TEXT).toWellFormed()}${LEFT_OUT}`
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
    copied[name] = isSecretName(key) ? spend(writer, MASKED) : copy(writer, values[key], depth - 1)
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function spend(writer: Writer, value: unknown): unknown {
  writer.bytesLeft -= Buffer.byteLength(JSON.stringify(value) ?? '')
  return value
}
