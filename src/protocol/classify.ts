// Picks the era and revision of a request once, from headers and body. Pure.
// Never serves a request that claims a modern revision as legacy, nor the reverse.
// Spec 2026-07-28: basic/versioning, basic/transports/streamable-http, "Protocol Version Header".
import { McpError } from './errors.ts'
import { getHeader, type Headers } from './headers.ts'
import { isObject, type Message, readMessage } from './messages.ts'
import { ASSUMED_REVISION, findRevision, MODERN_VERSIONS, type Revision, VERSIONS } from './revisions/index.ts'

export const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
export const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const META_CLIENT = 'io.modelcontextprotocol/clientInfo'

/**
 * A modern message, or one of a revision with a handshake. If that one belongs to a session, the
 * handshake has settled the revision, and `revision` here does not count.
 */
export type Inbound =
  | { readonly era: 'modern'; readonly revision: Revision; readonly message: Message }
  | { readonly era: 'legacy'; readonly revision: Revision; readonly message: Message }
  | { readonly era: 'legacy'; readonly revision: Revision; readonly batch: readonly unknown[] }

export type LegacyInbound = Extract<Inbound, { era: 'legacy' }>

/**
 * @throws McpError INVALID_REQUEST (-32600), HEADER_MISMATCH (-32020), UNSUPPORTED_VERSION (-32022)
 *   with `supported` and `requested`, INVALID_PARAMS (-32602) if `_meta` lacks the version
 */
export function classify(headers: Headers, body: unknown): Inbound {
  const header = getHeader(headers, 'mcp-protocol-version')?.trim()
  const revision = header === undefined ? ASSUMED_REVISION : findRevision(header)
  const isLegacy = revision?.era === 'legacy'
  if (isLegacy && Array.isArray(body)) return { era: 'legacy', revision, batch: body }
  const message = readMessage(body)
  if (isLegacy && !claimsModern(message)) return { era: 'legacy', revision, message }
  return { era: 'modern', revision: requireModernRevision(header, message), message }
}

export function claimsModern(message: Message): boolean {
  const meta = getMeta(message)
  return isObject(meta) && (META_VERSION in meta || META_CAPABILITIES in meta || META_CLIENT in meta)
}

function requireModernRevision(header: string | undefined, message: Message): Revision {
  if (header === undefined) throw new McpError('HEADER_MISMATCH', 'MCP-Protocol-Version is missing')
  const meta = getMeta(message)
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined
  if (claimed !== undefined && claimed !== header) {
    throw new McpError('HEADER_MISMATCH', `MCP-Protocol-Version is not _meta["${META_VERSION}"] of the body`)
  }
  const revision = findRevision(header)
  if (revision?.era !== 'modern') throw unsupportedVersion(header)
  if (message.kind === 'request' && claimed === undefined) {
    throw new McpError('INVALID_PARAMS', `_meta["${META_VERSION}"] is missing`)
  }
  return revision
}

/**
 * The revision of a request that carries its own metadata, without headers.
 *
 * @throws McpError INVALID_PARAMS (-32602), UNSUPPORTED_VERSION (-32022)
 */
export function readModernRevision(message: Message): Revision {
  const meta = getMeta(message)
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined
  if (typeof claimed !== 'string')
    throw new McpError('INVALID_PARAMS', `_meta["${META_VERSION}"] is missing; older revisions begin with initialize`)
  const revision = findRevision(claimed)
  if (revision?.era !== 'modern') throw unsupportedVersion(claimed)
  return revision
}

const getMeta = (message: Message): unknown => (message.kind === 'response' ? undefined : message.params['_meta'])

/** For a version that is unknown, or that the server offers in the other era only. */
export function unsupportedVersion(requested: string): McpError {
  const handshakes = VERSIONS.filter(version => !MODERN_VERSIONS.includes(version))
  const text = `${requested}; this server speaks ${MODERN_VERSIONS.join(', ')}, and ${handshakes.join(', ')} by initialize`
  return new McpError('UNSUPPORTED_VERSION', text, { data: { supported: VERSIONS, requested } })
}
