// Reads JSON that a store has kept. Unreadable text counts as missing.
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'

/** Reads JSON that was kept; undefined if it is damaged. */
export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** Reads an object of JSON that was kept; undefined if it is damaged. */
export function parseObject(text: unknown): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}
