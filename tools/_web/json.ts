// JSON of a service, which may be anything.

export type JsonObject = Record<string, unknown>

/** undefined for what is no JSON, and for JSON that is no object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}
