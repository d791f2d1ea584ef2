// Derives access control from the settings: whether it is on, required claims, allowed addresses.
import { ApiKeyFileError } from '../auth/api-key-records.ts'
import { ApiKeys, type ApiKeysOptions } from '../auth/api-keys.ts'
import type { ClaimRules } from '../auth/claims.ts'
import type { ScopeRules } from '../auth/scope-claims.ts'
import { isLoopback } from './addresses.ts'
import { getResourceUri, getSseUrl } from './public-url.ts'
import { isSafeUrl } from './readers.ts'
import { ConfigError, type Settings } from './settings.ts'

type AccessSettings = Pick<Settings, 'jwtSecret' | 'jwtJwksUrl' | 'apiKeysFile'>

export const acceptsTokens = ({ jwtSecret, jwtJwksUrl }: AccessSettings): boolean =>
  jwtSecret !== undefined || jwtJwksUrl !== undefined

export const hasAccessControl = (settings: AccessSettings): boolean =>
  acceptsTokens(settings) || settings.apiKeysFile !== undefined

/** Allowed, since a mesh or a tunnel may encrypt what the server does not see; OAuth clients want https. */
export const sendsTokensInClear = (settings: AccessSettings & Pick<Settings, 'publicUrl'>): boolean =>
  hasAccessControl(settings) && settings.publicUrl !== undefined && !isSafeUrl(new URL(settings.publicUrl))

/** How to turn access control on, for texts. */
export const ACCESS_SETTINGS = 'JWT_SECRET, JWT_JWKS_URL or API_KEYS_FILE'

/** @param name what the user calls the setting @throws ConfigError if the keys cannot be read */
export function openApiKeys(options: ApiKeysOptions, name: string): ApiKeys {
  try {
    return new ApiKeys(options)
  } catch (error) {
    throw error instanceof ApiKeyFileError ? new ConfigError(`${name}: ${error.message}`) : error
  }
}

export function getClaimRules(settings: Settings): ClaimRules {
  const { jwtJwksUrl, jwtIssuer: issuers, jwtClientIds: clientIds, jwtClaims: names } = settings
  const scopes = getScopeRules(settings)
  return { issuers, audiences: getAudiences(settings), clientIds, names, scopes, hasIdTokens: jwtJwksUrl !== undefined }
}

export const getScopeRules = ({ jwtScopeClaims: claims, jwtScopePrefix: prefix }: Settings): ScopeRules => ({
  claims,
  prefix,
})

/** HTTP+SSE and the endpoint accept each other's tokens, since both serve the same tools. */
export function getAudiences(settings: Settings): readonly string[] {
  const { jwtAudience, httpSse } = settings
  return jwtAudience ?? [getResourceUri(settings), ...(httpSse ? [getSseUrl(settings).href] : [])]
}

/** None for API keys alone: nobody issues them to strangers. */
export function getAuthorizationServers(settings: Settings): readonly string[] {
  if (!acceptsTokens(settings)) return []
  const { authorizationServers, jwtIssuer = [] } = settings
  return authorizationServers ?? jwtIssuer.filter(issuer => URL.canParse(issuer))
}

/** Whether the audience is independent of the address at which the server listens. */
const hasFixedAudience = ({ publicUrl, jwtAudience }: Settings) => publicUrl !== undefined || jwtAudience !== undefined

/** Whether tokens would name an address at which no server listens. */
export function isOtherPort(port: number | undefined, settings: Settings): boolean {
  return acceptsTokens(settings) && !hasFixedAudience(settings) && port !== undefined && port !== settings.port
}

/**
 * @param displayName what the user calls a setting
 * @throws ConfigError if anyone could call every tool or open the console, or no token could name this server
 */
export function assertBind(host: string, settings: Settings, displayName = (name: string): string => name): void {
  if (acceptsTokens(settings)) {
    if (hasFixedAudience(settings)) return
    if (isLoopback(host) && settings.port !== 0) return
    throw new ConfigError(
      `${displayName('PUBLIC_URL')}: expected the URL that clients use, since their tokens name it as audience`,
    )
  }
  // Keys name no audience.
  if (hasAccessControl(settings) || isLoopback(host)) return
  if (!settings.allowAnonymous)
    throw new ConfigError(
      `${displayName('HOST')}: ${host} is not loopback and there is no access control; set ${ACCESS_SETTINGS}, or ALLOW_ANONYMOUS=true to open it to everyone`,
    )
  // Anybody could read the recent calls of all.
  if (settings.console === true)
    throw new ConfigError(
      `${displayName('CONSOLE')}: ${host} is not loopback, so the console needs access control; set ${ACCESS_SETTINGS}`,
    )
}

/** Before the start: the message then names the setting as the user does. @throws ConfigError */
export function assertApiKeysFile(file: string | undefined, name: string): void {
  if (file !== undefined) openApiKeys({ file, log: undefined }, name)
}
