// JSON that a store has kept. A text that cannot be read counts as missing.
import { isObject, type JsonObject } from '../protocol/messages.ts'

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
