// Parses JSON of a service, which may be any value.

export type JsonObject = Record<string, unknown>

/** Returns undefined if the text is no JSON, or no object. */
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
