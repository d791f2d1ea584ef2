// The format of records in Redis: JSON with a version. A record that this version did not write
// counts as missing. Also hashes names for keys, and holds the number check of all Lua scripts.
import { hash } from 'node:crypto'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { parseObject } from 'toolrack/stores'

const VERSION = 1

export const toRecord = (value: object): string => JSON.stringify({ v: VERSION, value })

/** @returns undefined if the text is missing, damaged, or written by another version or program */
export function parseRecord(text: unknown): JsonObject | undefined {
  const record = parseObject(text)
  return record?.['v'] === VERSION && isObject(record['value']) ? record['value'] : undefined
}

/** Awaits a read; undefined if another program keeps a value of another type under that key. */
export async function ignoreWrongType<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { cause } = error as Error
    // Redis puts its code before the text.
    if (cause instanceof Error && cause.message.startsWith('WRONGTYPE')) return undefined
    throw error
  }
}

/** Characters of base64url: 132 bits. */
const LENGTH = 22

/** Hashes an identity for use in a key's name, so that key names do not reveal it. */
export const hashIdentity = (name: string): string => hash('sha256', name, 'base64url').slice(0, LENGTH)

/** Lua `whole(text)`: the number if it is whole, not negative and fits a double; else nil. */
export const WHOLE_NUMBER = `
local function whole(text)
  local number = tonumber(text)
  if number and number >= 0 and number <= ${Number.MAX_SAFE_INTEGER} and number % 1 == 0 then return number end
end
`
