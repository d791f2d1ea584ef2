// Which settings let tools get tokens on behalf of callers, and which of them fit together.
import { isSafeUrl } from './addresses.ts'

interface ExchangeSettings {
  readonly jwtSecret?: string | undefined
  readonly jwtJwksUrl?: string | undefined
  readonly jwtIssuer?: readonly string[] | undefined
  readonly tokenExchangeUrl?: string | undefined
  readonly tokenExchangeClientId?: string | undefined
  readonly tokenExchangeClientSecret?: string | undefined
  readonly tokenExchangeGrant?: 'token-exchange' | 'jwt-bearer' | undefined
}

/** @returns the conflict with the name of the setting; undefined without one */
export function findExchangeConflict(
  settings: ExchangeSettings,
  displayName: (setting: string) => string,
): string | undefined {
  const { tokenExchangeUrl: url, tokenExchangeClientId: clientId, tokenExchangeClientSecret: secret } = settings
  const [urlName, idName, secretName, grantName, issuerName] = [
    'TOKEN_EXCHANGE_URL',
    'TOKEN_EXCHANGE_CLIENT_ID',
    'TOKEN_EXCHANGE_CLIENT_SECRET',
    'TOKEN_EXCHANGE_GRANT',
    'JWT_ISSUER',
  ].map(displayName)
  if (clientId === undefined) {
    const alone = secret !== undefined ? secretName : url !== undefined ? urlName : grantName
    const isSet = secret !== undefined || url !== undefined || settings.tokenExchangeGrant !== undefined
    return isSet ? `${alone}: expected ${idName} beside it` : undefined
  }
  if (secret === undefined) return `${idName}: expected ${secretName} beside it`
  if (settings.jwtSecret === undefined && settings.jwtJwksUrl === undefined && settings.jwtIssuer === undefined)
    return `${idName}: expected ${displayName('JWT_JWKS_URL')} beside it, since only the tokens of callers can be exchanged`
  if (url === undefined && !isSafeIssuer(settings.jwtIssuer))
    return `${urlName}: expected the token endpoint to ask, since ${issuerName} is not one https URL whose metadata names it`
  return undefined
}

function isSafeIssuer([issuer = '', ...others]: readonly string[] = []): boolean {
  const url = URL.parse(issuer)
  return url !== null && isSafeUrl(url) && others.length === 0
}
