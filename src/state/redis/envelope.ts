// What is kept in Redis: JSON with a version. What is not as this version wrote it is as if it were not there.
import { isObject, type JsonObject } from '../../protocol/messages.ts'

const VERSION = 1

export const wrap = (value: object): string => JSON.stringify({ v: VERSION, value })

/** @returns undefined where it is missing, damaged, or of another version or program */
export function unwrap(text: unknown): JsonObject | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) && parsed['v'] === VERSION && isObject(parsed['value']) ? parsed['value'] : undefined
  } catch {
    return undefined
  }
}

/** What was read; undefined where somebody else keeps something of another kind under that key. */
export async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { cause } = error as Error
    if (cause instanceof Error && cause.message.startsWith('WRONGTYPE')) return undefined
    throw error
  }
}
