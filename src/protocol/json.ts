// Bytes → one JSON value, within bounds: UTF-8, depth, number of members, no key twice, no prototype keys, no half
// of a character.
// Depth and members are counted before JSON.parse builds anything. Knows nothing of JSON-RPC.
import { isUtf8 } from 'node:buffer'
import { McpError } from './errors.ts'
import { isObject } from './messages.ts'

/** Deepest nesting of arrays and objects in a message. */
export const MAX_JSON_DEPTH = 64
/** Most array elements and object keys in a message, together. */
export const MAX_JSON_MEMBERS = 10_000

const QUOTE = 0x22
const COMMA = 0x2c
const EIGHT = 0x38
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LOWER_C = 0x63
const LOWER_D = 0x64
const LOWER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const TO_LOWER = 0x20

/** Such as \u0041. */
const ESCAPE_BYTES = 6

interface JsonScan {
  pairs: number
  hasLoneSurrogate: boolean
}

interface ParseOptions {
  /** Keys that name a prototype are read as any other; for what is not merged into anything. */
  readonly allowsPrototypes?: boolean
  /** Half of a character stays as it is; for what is not sent on. */
  readonly allowsLoneSurrogates?: boolean
}

/**
 * Parses the body of a POST.
 *
 * @throws McpError PARSE_ERROR (-32700) where it is not JSON in UTF-8, INVALID_REQUEST (-32600) past a bound
 */
export function parseJson(
  bytes: Buffer,
  { allowsPrototypes = false, allowsLoneSurrogates = false }: ParseOptions = {},
): unknown {
  if (bytes.length === 0) throw new McpError('PARSE_ERROR', 'the body is empty')
  if (!isUtf8(bytes)) throw new McpError('PARSE_ERROR', 'the body is not UTF-8')
  const shape = scanJson(bytes)
  const value = parseBytes(bytes)
  // UTF-8 cannot carry it back: an id would return as another than the one that came.
  if (shape.hasLoneSurrogate && !allowsLoneSurrogates)
    throw new McpError('INVALID_REQUEST', 'a lone surrogate, such as \\ud800 without the other half of its character')
  if (countKeys(value, allowsPrototypes) !== shape.pairs)
    throw new McpError('INVALID_REQUEST', 'an object has the same key twice')
  return value
}

function parseBytes(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new McpError('PARSE_ERROR', 'the body is not JSON', { cause })
  }
}

function scanJson(bytes: Buffer): JsonScan {
  const shape: JsonScan = { pairs: 0, hasLoneSurrogate: false }
  let depth = 0
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = skipString(bytes, at + 1, shape)
    else if (byte === COMMA) members++
    else if (byte === COLON) shape.pairs++
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      members++
      if (++depth > MAX_JSON_DEPTH) throw new McpError('INVALID_REQUEST', `nested deeper than ${MAX_JSON_DEPTH}`)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    if (members > MAX_JSON_MEMBERS)
      throw new McpError('INVALID_REQUEST', `more than ${MAX_JSON_MEMBERS} elements and keys`)
  }
  return shape
}

function skipString(bytes: Buffer, from: number, shape: JsonScan): number {
  let at = from
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
    if (bytes[at] !== BACKSLASH) continue
    at++
    // Only an escape can bring half of a character into text that is valid UTF-8.
    if (bytes[at] === LOWER_U && (bytes[at + 1]! | TO_LOWER) === LOWER_D) at = skipSurrogate(bytes, at, shape)
  }
  return at
}

/** @param at the `u` of an escape from \ud000 to \udfff @returns the same, or the `u` of the other half */
function skipSurrogate(bytes: Buffer, at: number, shape: JsonScan): number {
  const half = readSurrogate(bytes, at)
  if (half === undefined) return at
  const next = at + ESCAPE_BYTES
  if (half === 'high' && bytes[next - 1] === BACKSLASH && readSurrogate(bytes, next) === 'low') return next
  shape.hasLoneSurrogate = true
  return at
}

/** Which half of a character the escape is: \ud800 to \udbff are high, \udc00 to \udfff low. */
function readSurrogate(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== LOWER_U || (bytes[at + 1]! | TO_LOWER) !== LOWER_D) return undefined
  const digit = bytes[at + 2]! | TO_LOWER
  if (digit >= LOWER_C) return 'low'
  return digit >= EIGHT ? 'high' : undefined
}

// Routers in front of us may read the first of two equal keys where JSON.parse keeps the last.
function countKeys(value: unknown, allowsPrototypes: boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countKeys(element, allowsPrototypes)
    return count
  }
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (!allowsPrototypes && (key === '__proto__' || (key === 'constructor' && hasPrototype(member)))) {
      throw new McpError('INVALID_REQUEST', 'a key names an object prototype')
    }
    count += typeof member === 'object' ? 1 + countKeys(member, allowsPrototypes) : 1
  }
  return count
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

// How much a JSON value holds, in bytes: as text in Redis, or as objects on the heap, whichever is more.

// What V8 takes, rounded up; test/unit/protocol/json-size.test.ts measures it. An empty object has room for four members.
const OBJECT_BYTES = 72
const LIST_BYTES = 48
/** A member of an object: its place, its name in a table, and the name itself without its characters. */
const MEMBER_BYTES = 96
/** An element of a list, or a number. */
const ELEMENT_BYTES = 24
const TEXT_BYTES = 24

// Texts without such a character V8 keeps in one byte each.
const WIDE = /[^\u0000-\u00ff]/

/** @param value of JSON, no deeper than messages and results are */
export const countJsonBytes = (value: object): number =>
  Math.max(Buffer.byteLength(JSON.stringify(value)), countHeapBytes(value))

function countHeapBytes(value: unknown): number {
  if (typeof value === 'string') return textSize(value)
  if (typeof value !== 'object' || value === null) return 0
  let size = Array.isArray(value) ? LIST_BYTES : OBJECT_BYTES
  if (Array.isArray(value)) for (const element of value) size += ELEMENT_BYTES + countHeapBytes(element)
  else
    for (const name in value)
      size += MEMBER_BYTES + name.length + countHeapBytes((value as Record<string, unknown>)[name])
  return size
}

const textSize = (text: string) => TEXT_BYTES + (WIDE.test(text) ? 2 * text.length : text.length)

// Whether a text is the JSON of a value: however it is spaced, and in whatever order its keys are.

/** Indented for a reader, JSON grows by less. A text that is longer is something else, and not worth parsing. */
const MAX_SPACING = 16

/** @param json the value as `JSON.stringify` writes it: most texts are told by it alone */
export function isSameJson(text: string, value: unknown, json: string): boolean {
  if (text === json) return true
  if (text.length > json.length * MAX_SPACING || text.trimStart()[0] !== json[0]) return false
  try {
    return isEqualJson(value, JSON.parse(text))
  } catch {
    return false
  }
}

function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => isEqualJson(each, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && isEqualJson(one[name], other[name]))
  )
}
