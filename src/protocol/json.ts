// Parses bytes to one JSON value and enforces bounds: UTF-8, depth, members, no duplicate keys, no
// prototype keys, no lone surrogates. Counts depth and members before JSON.parse builds anything.
import { isUtf8 } from 'node:buffer'
import { McpError } from './errors.ts'

export const MAX_JSON_DEPTH = 64
/** Maximum number of array elements and object keys in a message, together. */
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

/** An escape such as \u0041. */
const ESCAPE_BYTES = 6

interface JsonScan {
  pairs: number
  hasLoneSurrogate: boolean
}

interface ParseOptions {
  /** Accepts keys that name a prototype; only for values that are not merged into others. */
  readonly allowsPrototypes?: boolean
  /** Accepts lone surrogates; only for values that are not sent on. */
  readonly allowsLoneSurrogates?: boolean
  /**
   * Maximum of array elements and object keys together. Only values that no client sends may have
   * more.
   */
  readonly maxMembers?: number
}

/** @throws McpError PARSE_ERROR (-32700) if not JSON, INVALID_REQUEST (-32600) past a bound */
export function parseJson(
  bytes: Buffer,
  { allowsPrototypes = false, allowsLoneSurrogates = false, maxMembers = MAX_JSON_MEMBERS }: ParseOptions = {},
): unknown {
  if (bytes.length === 0) throw new McpError('PARSE_ERROR', 'the body is empty')
  if (!isUtf8(bytes)) throw new McpError('PARSE_ERROR', 'the body is not UTF-8')
  const shape = scanJson(bytes, maxMembers)
  const value = parseBytes(bytes)
  // UTF-8 cannot encode a lone surrogate: an id would come back changed.
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

function scanJson(bytes: Buffer, maxMembers: number): JsonScan {
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
    if (members > maxMembers) throw new McpError('INVALID_REQUEST', `more than ${maxMembers} elements and keys`)
  }
  return shape
}

function skipString(bytes: Buffer, from: number, shape: JsonScan): number {
  let at = from
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
    if (bytes[at] !== BACKSLASH) continue
    at++
    // Valid UTF-8 contains a surrogate only as an escape.
    if (bytes[at] === LOWER_U && (bytes[at + 1]! | TO_LOWER) === LOWER_D) at = skipSurrogate(bytes, at, shape)
  }
  return at
}

/** @param at the `u` of an escape @returns the `u` of the low half if both halves are there */
function skipSurrogate(bytes: Buffer, at: number, shape: JsonScan): number {
  const half = readSurrogate(bytes, at)
  if (half === undefined) return at
  const next = at + ESCAPE_BYTES
  if (half === 'high' && bytes[next - 1] === BACKSLASH && readSurrogate(bytes, next) === 'low') return next
  shape.hasLoneSurrogate = true
  return at
}

/** High halves are \ud800 to \udbff; low halves are \udc00 to \udfff. */
function readSurrogate(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== LOWER_U || (bytes[at + 1]! | TO_LOWER) !== LOWER_D) return undefined
  const digit = bytes[at + 2]! | TO_LOWER
  if (digit >= LOWER_C) return 'low'
  return digit >= EIGHT ? 'high' : undefined
}

// JSON.parse keeps the last of two equal keys; a router in front of us may read the first.
function countKeys(value: unknown, allowsPrototypes: boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countKeys(element, allowsPrototypes)
    return count
  }
  // JSON.parse gives an object its own keys only, so the loop finds no others.
  for (const key in value) {
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
