// Compares the headers that mirror request metadata with the body (Streamable HTTP).
// Spec 2026-07-28: basic/transports/streamable-http, "Request Metadata" and "Server Validation".
import { isUtf8 } from 'node:buffer'
import { McpError } from './errors.ts'
import { isObject, type JsonObject } from './messages.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Begins the headers that mirror arguments. */
export const PARAM_PREFIX = 'mcp-param-'

/** A tool parameter that clients mirror into `Mcp-Param-{name}`. */
export interface MirroredParam {
  /** Lower case: `mcp-param-...`. */
  readonly header: string
  readonly path: readonly string[]
}

const PREFIX = '=?base64?'
const SUFFIX = '?='
const PLAIN = /^[\t\x20-\x7e]*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The value of a header. Node joins a repeated header, so it never matches. */
export function getHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** ASCII, or UTF-8 in the Base64 sentinel. @throws McpError HEADER_MISMATCH (-32020) */
export function decodeHeader(name: string, raw: string): string {
  if (!PLAIN.test(raw)) throw new McpError('HEADER_MISMATCH', `${name} has characters outside of visible ASCII`)
  const value = raw.trim()
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Node decodes any input; accept the canonical encoding only.
  if (!BASE64.test(encoded) || bytes.toString('base64') !== encoded || !isUtf8(bytes)) {
    throw new McpError('HEADER_MISMATCH', `${name} is not canonical Base64 of UTF-8 in ${PREFIX}…${SUFFIX}`)
  }
  return bytes.toString('utf8')
}

/** `Mcp-Method` must equal the body's method exactly. @throws McpError HEADER_MISMATCH (-32020) */
export function checkMethodHeader(headers: Headers, method: string): void {
  const value = getHeader(headers, 'mcp-method')
  if (value === undefined) throw new McpError('HEADER_MISMATCH', 'Mcp-Method is missing')
  if (value.trim() !== method) throw new McpError('HEADER_MISMATCH', 'Mcp-Method is not the method of the body')
}

/** `Mcp-Name` must equal `params[source]` of the body. @throws McpError HEADER_MISMATCH (-32020) */
export function checkNameHeader(headers: Headers, params: JsonObject, source: string): void {
  const raw = getHeader(headers, 'mcp-name')
  if (raw === undefined) throw new McpError('HEADER_MISMATCH', `Mcp-Name is missing; it mirrors params.${source}`)
  if (raw === params[source] && !raw.startsWith(PREFIX) && PLAIN.test(raw)) return
  if (decodeHeader('Mcp-Name', raw) !== params[source]) {
    throw new McpError('HEADER_MISMATCH', `Mcp-Name is not params.${source} of the body`)
  }
}

/**
 * Each mirrored parameter must equal its header.
 *
 * @param areRequired false if a client may leave them out, but may not send others
 * @throws McpError HEADER_MISMATCH (-32020)
 */
export function checkParamHeaders(
  headers: Headers,
  args: unknown,
  mirrored: readonly MirroredParam[],
  { areRequired = true }: { readonly areRequired?: boolean } = {},
): void {
  for (const { header, path } of mirrored) {
    const raw = getHeader(headers, header)
    const value = valueAt(args, path)
    if (value === undefined || value === null) {
      if (raw !== undefined) throw new McpError('HEADER_MISMATCH', `${header} is sent but ${path.join('.')} is not`)
      continue
    }
    if (raw === undefined && !areRequired) continue
    if (raw === undefined) throw new McpError('HEADER_MISMATCH', `${header} is missing; it mirrors ${path.join('.')}`)
    if (!isSameValue(decodeHeader(header, raw), value)) {
      throw new McpError('HEADER_MISMATCH', `${header} is not ${path.join('.')} of the arguments`)
    }
  }
}

/** The headers that a client sends for `args`, with each mirrored parameter. */
export function mirrorParams(args: unknown, mirrored: readonly MirroredParam[]): Record<string, string> {
  const sent = mirrored.map(({ header, path }) => [header, valueAt(args, path)] as const)
  const present = sent.filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(present.map(([header, value]) => [header, encodeHeader(String(value))]))
}

/** The inverse of `decodeHeader`. */
export function encodeHeader(value: string): string {
  const isPlain = PLAIN.test(value) && value.trim() === value && !value.startsWith(PREFIX)
  return isPlain ? value : `${PREFIX}${Buffer.from(value).toString('base64')}${SUFFIX}`
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

function isSameValue(header: string, value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?$/.test(header) && Number(header) === value
  return header === String(value)
}
