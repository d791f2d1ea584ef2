// The shapes of JSON-RPC that the console reads of raw messages.

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface RawMessage {
  readonly id?: string | number | undefined
  readonly method?: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Every message of a body: one, a batch of older revisions, or none if it is no JSON-RPC. */
export function parseMessages(text: string): readonly RawMessage[] {
  try {
    const body: unknown = JSON.parse(text)
    return (Array.isArray(body) ? body : [body]).filter(isObject) as RawMessage[]
  } catch {
    return []
  }
}
