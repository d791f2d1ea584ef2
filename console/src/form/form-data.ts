// A form's data and its JSON text: one is written from the other.
import { isObject, type JsonObject } from '../client/json-rpc.ts'

export type Parsed = { readonly value: JsonObject } | { readonly error: string }

/** As JSON; members that a form left empty are not in it. */
export const formatArguments = (data: unknown): string => JSON.stringify(data ?? {}, null, 2)

export function parseArguments(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(value) ? { value } : { error: 'Arguments are a JSON object: { … }' }
  } catch (error) {
    return { error: `This is not JSON: ${(error as Error).message}` }
  }
}
