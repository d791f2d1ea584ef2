// Which settings of access control fit together. What does not would leave a server open that was meant to be closed.

interface AccessSettings {
  readonly jwtSecret?: string | undefined
  readonly jwtJwksUrl?: string | undefined
  readonly jwtIssuer?: string | undefined
  readonly jwtAudience?: string | undefined
}

const PUBLIC_KEY = /-----BEGIN |"kty"\s*:/

/** What is wrong, with the name of the setting as its user knows it; undefined where nothing is. */
export function accessFault(
  { jwtSecret, jwtJwksUrl, jwtIssuer, jwtAudience }: AccessSettings,
  nameOf: (setting: string) => string,
): string | undefined {
  const [secret, url, issuer, audience] = ['JWT_SECRET', 'JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'].map(nameOf)
  if (jwtSecret !== undefined && jwtJwksUrl !== undefined) return `${secret}: expected either it or ${url}, not both`
  if (jwtJwksUrl !== undefined && jwtIssuer === undefined) return `${issuer}: expected the issuer whose keys ${url} has`
  // Whoever knows a public key could sign with it.
  if (jwtSecret !== undefined && PUBLIC_KEY.test(jwtSecret))
    return `${secret}: expected a shared secret, not a key pair`
  if (jwtSecret !== undefined || jwtJwksUrl !== undefined) return undefined
  const alone = jwtIssuer !== undefined ? issuer : jwtAudience !== undefined ? audience : undefined
  return alone === undefined ? undefined : `${alone}: expected ${secret} or ${url} beside it`
}
