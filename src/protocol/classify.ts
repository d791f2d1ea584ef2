// Which era and revision a request belongs to, decided once, from headers and body. Pure.
// Spec 2026-07-28: basic/versioning and basic/transports/streamable-http, "Protocol Version Header".
import { McpError } from './errors.ts'
import { type Headers, headerOf } from './headers.ts'
import { isObject, type JsonObject, type Message } from './messages.ts'
import { HANDSHAKE_VERSIONS, MODERN_VERSIONS, type Revision, revisionOf } from './revisions/index.ts'

export const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
export const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const META_CLIENT = 'io.modelcontextprotocol/clientInfo'

export interface Inbound {
  readonly revision: Revision
  readonly message: Message
}

/**
 * @throws McpError HEADER_MISMATCH (-32020), UNSUPPORTED_VERSION (-32022) with `supported` and `requested`,
 *   INVALID_PARAMS (-32602) where the body lacks the version
 */
export function classify(headers: Headers, message: Message): Inbound {
  const header = headerOf(headers, 'mcp-protocol-version')?.trim()
  const meta = message.kind === 'response' ? undefined : message.params['_meta']
  const claimed = isObject(meta) ? meta[META_VERSION] : undefined
  if (header === undefined) throw withoutHeader(message, meta)
  if (claimed !== undefined && claimed !== header) {
    throw new McpError('HEADER_MISMATCH', `MCP-Protocol-Version is not _meta["${META_VERSION}"] of the body`)
  }
  const revision = revisionOf(header)
  if (revision === undefined) throw unsupported(header)
  if (message.kind === 'request' && claimed === undefined) {
    throw new McpError('INVALID_PARAMS', `_meta["${META_VERSION}"] is missing`)
  }
  return { revision, message }
}

function withoutHeader(message: Message, meta: unknown): McpError {
  if (!claimsModern(meta) && message.kind !== 'response' && message.method === 'initialize') {
    const requested = message.params['protocolVersion']
    return unsupported(typeof requested === 'string' ? requested : HANDSHAKE_VERSIONS[0]!)
  }
  return new McpError('HEADER_MISMATCH', `MCP-Protocol-Version is missing; this server speaks ${MODERN_VERSIONS}`)
}

function claimsModern(meta: unknown): meta is JsonObject {
  return isObject(meta) && (META_VERSION in meta || META_CAPABILITIES in meta || META_CLIENT in meta)
}

function unsupported(requested: string): McpError {
  return new McpError('UNSUPPORTED_VERSION', `${requested}; this server speaks ${MODERN_VERSIONS.join(', ')}`, {
    data: { supported: MODERN_VERSIONS, requested },
  })
}
