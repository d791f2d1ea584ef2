// The bearer token of a request, and why one is refused. RFC 6750, 2.1.

/** As large as the headers of this server: Entra puts up to 200 groups into a token. */
export const MAX_TOKEN_BYTES = 16 * 1024

/** Tolerated clock difference, s. */
export const TOLERANCE_S = 30

/** Why a token is rejected, for log and challenge; never quotes the token. */
export class TokenError extends Error {
  override name = 'TokenError'
}

const SCHEME = /^Bearer(?![^\s,])/i
// Not `trim`, which takes a no-break space away, too: a token has one spelling.
const BEARER = /^Bearer +([^\s,]+)[ \t]*$/i

/** The token; undefined for another scheme. @throws TokenError if the header is malformed */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !SCHEME.test(authorization)) return undefined
  // Node joins a repeated header with a comma.
  const [, token] = BEARER.exec(authorization) ?? []
  if (token === undefined) throw new TokenError('expected Authorization: Bearer and one token')
  if (token.length > MAX_TOKEN_BYTES) throw new TokenError(`longer than ${MAX_TOKEN_BYTES} bytes`)
  return token
}
