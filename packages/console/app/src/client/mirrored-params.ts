// Headers that repeat parameters of a tool (`x-mcp-header`), which the client does not send in browsers.
// Spec 2026-07-28: server/tools, "x-mcp-header".
import { toBase64 } from '../../../src/clients/quote.ts'
import { isObject, type JsonObject } from './json-rpc.ts'

const PRINTABLE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** @returns `Mcp-Param-…` headers, by name */
export function createParamHeaders(schema: unknown, args: JsonObject): Record<string, string> {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  return Object.assign(
    {},
    ...Object.entries(properties).map(([key, property]) => {
      const value = args[key]
      if (!isObject(property) || value === undefined || value === null) return {}
      const name = property['x-mcp-header']
      if (typeof name === 'string' && ['string', 'number', 'boolean'].includes(typeof value))
        return { [`Mcp-Param-${name}`]: encodeHeader(String(value)) }
      return isObject(value) ? createParamHeaders(property, value) : {}
    }),
  ) as Record<string, string>
}

/** Unchanged if it is printable ASCII, else UTF-8 in Base64. */
export function encodeHeader(value: string): string {
  if (PRINTABLE.test(value) && !value.startsWith('=?base64?')) return value
  return `=?base64?${toBase64(value)}?=`
}
