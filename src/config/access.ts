// Derives access control from the settings: whether it is on, required claims, allowed addresses.
import type { ClaimRules } from '../auth/claims.ts'
import { isLoopback } from './addresses.ts'
import { getResourceUri, getSseUrl } from './public-url.ts'
import { ConfigError, type Settings } from './settings.ts'

export const hasAccessControl = ({ jwtSecret, jwtJwksUrl }: Settings) =>
  jwtSecret !== undefined || jwtJwksUrl !== undefined

/** HTTP+SSE and the endpoint accept each other's tokens, since both serve the same tools. */
export function getClaimRules(settings: Settings): ClaimRules {
  const { jwtIssuer: issuer, jwtAudience, jwtClaims: names, httpSse } = settings
  if (jwtAudience !== undefined) return { issuer, audience: jwtAudience, names }
  const otherAudience = httpSse ? getSseUrl(settings).href : undefined
  return { issuer, audience: getResourceUri(settings), otherAudience, names }
}

export function getAuthorizationServers({ authorizationServers, jwtIssuer }: Settings): readonly string[] {
  return authorizationServers ?? (jwtIssuer !== undefined && URL.canParse(jwtIssuer) ? [jwtIssuer] : [])
}

/** Whether the audience is independent of the address at which the server listens. */
const hasFixedAudience = ({ publicUrl, jwtAudience }: Settings) => publicUrl !== undefined || jwtAudience !== undefined

/** Whether tokens would name an address at which no server listens. */
export function isOtherPort(port: number | undefined, settings: Settings): boolean {
  return hasAccessControl(settings) && !hasFixedAudience(settings) && port !== undefined && port !== settings.port
}

/**
 * @param displayName what the user calls a setting
 * @throws ConfigError if anyone could call every tool or open the console, or no token could name this server
 */
export function assertBind(host: string, settings: Settings, displayName = (name: string): string => name): void {
  if (hasAccessControl(settings)) {
    if (hasFixedAudience(settings)) return
    if (isLoopback(host) && settings.port !== 0) return
    throw new ConfigError(
      `${displayName('PUBLIC_URL')}: expected the URL that clients use, since their tokens name it as audience`,
    )
  }
  if (isLoopback(host)) return
  if (!settings.allowAnonymous)
    throw new ConfigError(
      `${displayName('HOST')}: ${host} is not loopback and there is no access control; set JWT_SECRET or JWT_JWKS_URL, or ALLOW_ANONYMOUS=true to open it to everyone`,
    )
  // Anybody could read the recent calls of all.
  if (settings.console === true)
    throw new ConfigError(
      `${displayName('CONSOLE')}: ${host} is not loopback, so the console needs access control; set JWT_SECRET or JWT_JWKS_URL`,
    )
}
