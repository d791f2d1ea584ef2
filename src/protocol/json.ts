// Bytes → one JSON value, within bounds: UTF-8, depth, number of members, no key twice, no prototype keys.
// Depth and members are counted before JSON.parse builds anything. Knows nothing of JSON-RPC.
import { isUtf8 } from 'node:buffer'
import { McpError } from './errors.ts'

/** Deepest nesting of arrays and objects in a message. */
export const MAX_DEPTH = 64
/** Most array elements and object keys in a message, together. */
export const MAX_MEMBERS = 10_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LOWER_D = 0x64
const LOWER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const TO_LOWER = 0x20

interface Shape {
  pairs: number
  hasSurrogateEscape: boolean
}

/**
 * Parses the body of a POST.
 *
 * @param allowsPrototypes keys that name a prototype are read as any other; for what is not merged into anything
 * @throws McpError PARSE_ERROR (-32700) where it is not JSON in UTF-8, INVALID_REQUEST (-32600) past a bound
 */
export function parseJson(bytes: Buffer, { allowsPrototypes = false } = {}): unknown {
  if (bytes.length === 0) throw new McpError('PARSE_ERROR', 'the body is empty')
  if (!isUtf8(bytes)) throw new McpError('PARSE_ERROR', 'the body is not UTF-8')
  const shape = measure(bytes)
  const value = parse(bytes, shape)
  if (countKeys(value, allowsPrototypes) !== shape.pairs)
    throw new McpError('INVALID_REQUEST', 'an object has the same key twice')
  return value
}

function parse(bytes: Buffer, shape: Shape): unknown {
  try {
    const text = bytes.toString('utf8')
    return shape.hasSurrogateEscape ? JSON.parse(text, wellFormed) : JSON.parse(text)
  } catch (cause) {
    throw new McpError('PARSE_ERROR', 'the body is not JSON', { cause })
  }
}

const wellFormed = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)

function measure(bytes: Buffer): Shape {
  const shape: Shape = { pairs: 0, hasSurrogateEscape: false }
  let depth = 0
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at + 1, shape)
    else if (byte === COMMA) members++
    else if (byte === COLON) shape.pairs++
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      members++
      if (++depth > MAX_DEPTH) throw new McpError('INVALID_REQUEST', `nested deeper than ${MAX_DEPTH}`)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    if (members > MAX_MEMBERS) throw new McpError('INVALID_REQUEST', `more than ${MAX_MEMBERS} elements and keys`)
  }
  return shape
}

function endOfString(bytes: Buffer, from: number, shape: Shape): number {
  let at = from
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
    if (bytes[at] !== BACKSLASH) continue
    at++
    // Only an escape (\ud800) can bring a lone surrogate into text that is valid UTF-8.
    if (bytes[at] === LOWER_U && (bytes[at + 1]! | TO_LOWER) === LOWER_D) shape.hasSurrogateEscape = true
  }
  return at
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
