// The metadata of an issuer, with the URLs of its keys, its token endpoint and its introspection
// endpoint.
// RFC 8414, or OpenID Connect Discovery 1.0, 4, in the order of the specification of MCP.
// Spec 2026-07-28: basic/authorization/authorization-server-discovery.
import type { JsonObject } from 'toolrack'
import { FetchError, fetchJson } from './bounded-fetch.ts'

const MAX_METADATA_BYTES = 256 * 1024

export interface MetadataRequest {
  readonly issuer: string
  /** The member that is needed. */
  readonly endpoint: 'jwks_uri' | 'introspection_endpoint' | 'token_endpoint'
  /** Whether requests may go to the endpoint: only over https, or on this machine. */
  mayAsk(url: URL): boolean
  readonly signal: AbortSignal
}

/** @returns the URL of the endpoint @throws FetchError if no metadata of the issuer has it */
export const findEndpoint = async (request: MetadataRequest): Promise<string> =>
  String((await findMetadata(request))[request.endpoint])

/**
 * Tries each path, because issuers answer unknown paths in any way.
 *
 * @returns the first metadata that belongs to the issuer and has the endpoint
 * @throws FetchError
 */
export async function findMetadata(request: MetadataRequest): Promise<JsonObject> {
  let fault: FetchError | undefined
  for (const url of listMetadataUrls(new URL(request.issuer))) {
    try {
      return checkMetadata(await fetchJson(url, { maxBytes: MAX_METADATA_BYTES, signal: request.signal }), request)
    } catch (error) {
      // If this address does not answer, other paths will not, either.
      if (!(error instanceof FetchError) || error.status === undefined) throw error
      // The error of an existing document says more than a missing path.
      if (fault === undefined || fault.status === 404) fault = error
    }
  }
  throw new FetchError(`no metadata of the issuer: ${fault?.message}`)
}

/** Compares the issuer exactly, as for the `iss` of tokens. RFC 8414, 3.3. @throws FetchError */
function checkMetadata(metadata: JsonObject, { issuer, endpoint, mayAsk }: MetadataRequest): JsonObject {
  if (metadata['issuer'] !== issuer)
    throw new FetchError(`it is of the issuer ${quote(metadata['issuer'])}, and not of this one letter for letter`, 200)
  const url = URL.parse(String(metadata[endpoint]))
  // An endpoint on this machine without TLS is only for an issuer on this machine.
  const isFit = url?.protocol === 'https:' || URL.parse(issuer)?.protocol === 'http:'
  if (url === null || !mayAsk(url) || !isFit) throw new FetchError(`it has no ${endpoint} that is an https URL`, 200)
  return metadata
}

/** The well-known name stands before the path of the issuer, or after it. */
function listMetadataUrls({ origin, pathname }: URL): readonly string[] {
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
