// Tells the authorization server that tokens are no longer needed. RFC 7009.
import type { MemoryProvider } from './provider.ts'

type Tokens = Pick<MemoryProvider, 'current' | 'discovered' | 'clientId' | 'client'>

/**
 * Revokes the refresh token, which also ends its access tokens; without one, the access token. Reads
 * the tokens at once, so the caller may forget them meanwhile. Never rejects: the user is signed out
 * of this page in any case.
 */
export async function revoke({ current, discovered, clientId, client }: Tokens): Promise<void> {
  // OpenID's metadata contain it, too, but their type does not.
  const metadata = discovered?.authorizationServerMetadata as { revocation_endpoint?: string } | undefined
  const endpoint = metadata?.revocation_endpoint
  const id = clientId ?? client?.client_id
  if (endpoint === undefined || current === undefined || id === undefined) return
  const [token, hint] =
    current.refresh_token === undefined
      ? [current.access_token, 'access_token']
      : [current.refresh_token, 'refresh_token']
  const body = new URLSearchParams({ token, token_type_hint: hint, client_id: id })
  try {
    await fetch(endpoint, { method: 'POST', body, keepalive: true })
  } catch {
    // An authorization server may not allow pages to revoke. The token then expires.
  }
}
