// The metadata of an issuer: where its keys and its introspection endpoint are. By RFC 8414, or
// OpenID Connect Discovery 1.0, 4, in the order of the specification of MCP.
// Spec 2026-07-28: basic/authorization/authorization-server-discovery.
import { FetchError, fetchJson } from './bounded-fetch.ts'

const MAX_METADATA_BYTES = 256 * 1024

export interface EndpointRequest {
  readonly issuer: string
  /** The member of the metadata that has the URL. */
  readonly endpoint: 'jwks_uri' | 'introspection_endpoint'
  /** Whether it may be asked: over https, or on this machine. */
  mayAsk(url: URL): boolean
  readonly signal: AbortSignal
}

/** @throws FetchError if there is no metadata, it is of another issuer, or it lacks the endpoint */
export async function findEndpoint({ issuer, endpoint, mayAsk, signal }: EndpointRequest): Promise<string> {
  const metadata = await fetchMetadata(issuer, signal)
  // Compared letter for letter, as the `iss` of tokens is. RFC 8414, 3.3.
  if (metadata['issuer'] !== issuer)
    throw new FetchError(`its metadata is of the issuer ${quote(metadata['issuer'])}, letter for letter`)
  const url = URL.parse(String(metadata[endpoint]))
  if (url === null || !mayAsk(url)) throw new FetchError(`its metadata has no ${endpoint} that is an https URL`)
  return url.href
}

async function fetchMetadata(issuer: string, signal: AbortSignal) {
  let fault: unknown
  for (const url of listMetadataUrls(new URL(issuer))) {
    try {
      return await fetchJson(url, { maxBytes: MAX_METADATA_BYTES, signal })
    } catch (error) {
      // Nobody answers at this address, so no other path will.
      if (!(error instanceof FetchError) || error.status === undefined) throw error
      fault ??= error
    }
  }
  throw new FetchError(`no metadata of the issuer: ${(fault as Error).message}`)
}

/** The well-known name stands before the path of the issuer, or behind it. */
export function listMetadataUrls({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, '')
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ]
}

const MAX_SHOWN = 200
const quote = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_SHOWN) : `of type ${typeof value}`)
