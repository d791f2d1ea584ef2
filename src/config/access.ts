// Derives access control from the settings: whether it is on, required claims, allowed addresses.
import { isLoopback, isSafeUrl } from './addresses.ts'
import { hasFlatIssuer, listSignInUrls, readFlatSettings, splitByMetadata } from './issuer-settings.ts'
import { getResourceUri } from './public-url.ts'
import { ConfigError, type Settings } from './settings.ts'

type AccessSettings = Pick<Settings, 'jwtSecret' | 'jwtJwksUrl' | 'jwtIssuer' | 'issuersFile' | 'apiKeysFile'>

export const acceptsTokens = (settings: AccessSettings): boolean =>
  hasFlatIssuer(settings) || settings.issuersFile !== undefined

export const hasAccessControl = (settings: AccessSettings): boolean =>
  acceptsTokens(settings) || settings.apiKeysFile !== undefined

/** Allowed, since a mesh or a tunnel may encrypt what the server does not see; OAuth clients want https. */
export const sendsTokensInClear = (settings: AccessSettings & Pick<Settings, 'publicUrl'>): boolean =>
  hasAccessControl(settings) && settings.publicUrl !== undefined && !isSafeUrl(new URL(settings.publicUrl))

/** How to turn access control on, for texts. @param displayName what the user calls a setting */
export function nameAccessSettings(displayName = (name: string): string => name): string {
  const [issuer, secret, keys] = ['JWT_ISSUER', 'JWT_SECRET', 'API_KEYS_FILE'].map(displayName)
  return `${issuer}, ${secret} or ${keys}`
}

/** The audience that tokens for the endpoint name. */
export const getAudience = (settings: Settings): string => settings.jwtAudience?.[0] ?? getResourceUri(settings)

/** Where clients get tokens by the flat settings; ISSUERS_FILE can have more. */
export function listFlatServers(settings: Settings): readonly string[] {
  if (!acceptsTokens(settings)) return []
  return settings.authorizationServers ?? splitByMetadata(readFlatSettings(settings)).flatMap(listSignInUrls)
}

/** Whether the audience is independent of the address at which the server listens. */
const hasFixedAudience = ({ publicUrl, jwtAudience }: Settings) => publicUrl !== undefined || jwtAudience !== undefined

/** Whether tokens would name an address at which no server listens. */
export function isOtherPort(port: number | undefined, settings: Settings): boolean {
  return acceptsTokens(settings) && !hasFixedAudience(settings) && port !== undefined && port !== settings.port
}

/**
 * @param displayName what the user calls a setting
 * @throws ConfigError if anyone could call every tool, or no token could name this server
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
      `${displayName('HOST')}: ${host} is not loopback and there is no access control; set ${nameAccessSettings(displayName)}, or ${displayName('ALLOW_ANONYMOUS')}=true to open it to everyone`,
    )
}
