// JSON that a store has kept. A text that cannot be read counts as missing.
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'

export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

export function parseObject(text: unknown): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}
