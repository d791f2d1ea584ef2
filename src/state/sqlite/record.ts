// Records in the file: JSON. One that cannot be read counts as missing.
import { isObject, type JsonObject } from '../../protocol/messages.ts'

export function parseRecord(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(text))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
