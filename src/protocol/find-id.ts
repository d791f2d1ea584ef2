// Finds the id of a message that the server rejects unparsed, so that the error can carry it.
// Reads top-level members only and builds nothing but the id. JSON-RPC 2.0, "Response object".
import { isUtf8 } from 'node:buffer'
import { findReadableId, type JsonObject, MAX_ID_BYTES, type RequestId } from './messages.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d])

/** `result` and `error` mark a response, whose id is not ours. */
const NAMES: readonly unknown[] = ['id', 'result', 'error']
/** Bounds for a name and an id in which each character is an escape of six bytes. */
const MAX_NAME_BYTES = 6 * 'result'.length + 2
const MAX_VALUE_BYTES = 6 * MAX_ID_BYTES + 2

/** @returns undefined if the id is missing, unreadable or there twice */
export function findId(bytes: Buffer): RequestId | undefined {
  if (!isUtf8(bytes)) return undefined
  const members: JsonObject = Object.create(null)
  let depth = 0
  let from = skipBlanks(bytes, 0)
  if (bytes[from] !== OPEN_OBJECT) return undefined
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = skipString(bytes, at)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    const isEnd = depth === 0
    if (!isEnd && !(depth === 1 && byte === COMMA)) continue
    if (!keepMember(members, bytes.subarray(from + 1, at))) return undefined
    from = at
    if (isEnd) return skipBlanks(bytes, at + 1) === bytes.length ? findReadableId(members) : undefined
  }
  return undefined
}

/** @returns false if the member is a duplicate */
function keepMember(members: JsonObject, member: Buffer): boolean {
  const start = skipBlanks(member, 0)
  const end = skipString(member, start)
  const colon = skipBlanks(member, end + 1)
  if (member[colon] !== COLON || end - start > MAX_NAME_BYTES) return true
  const name = tryParse(member.subarray(start, end + 1))
  if (!NAMES.includes(name)) return true
  if ((name as string) in members) return false
  const value = member.subarray(colon + 1)
  members[name as string] = value.length > MAX_VALUE_BYTES ? undefined : tryParse(value)
  return true
}

function tryParse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined // not JSON, so no id
  }
}

/** @param at the opening quote @returns the closing quote */
function skipString(bytes: Buffer, at: number): number {
  let end = at + 1
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1
  return end
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from
  while (BLANKS.has(bytes[at]!)) at++
  return at
}
