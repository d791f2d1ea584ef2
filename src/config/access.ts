// Derives access control from the settings: whether it is on, required claims, allowed addresses.
import { ApiKeyFileError } from '../auth/api-key-records.ts'
import { ApiKeys, type ApiKeysOptions } from '../auth/api-keys.ts'
import { type IssuerSpec, type Issuers, listSignInUrls } from '../auth/issuers.ts'
import { isLoopback, isSafeUrl } from './addresses.ts'
import { hasFlatIssuer } from './issuer-settings.ts'
import { readIssuerSpecs } from './issuers.ts'
import { IssuersFileError } from './issuers-file.ts'
import { getResourceUri } from './public-url.ts'
import { ConfigError, optionName, type Settings } from './settings.ts'

type AccessSettings = Pick<Settings, 'jwtSecret' | 'jwtJwksUrl' | 'jwtIssuer' | 'issuersFile' | 'apiKeysFile'>

export const acceptsTokens = (settings: AccessSettings): boolean =>
  hasFlatIssuer(settings) || settings.issuersFile !== undefined

export const hasAccessControl = (settings: AccessSettings): boolean =>
  acceptsTokens(settings) || settings.apiKeysFile !== undefined

/** Allowed, since a mesh or a tunnel may encrypt what the server does not see; OAuth clients want https. */
export const sendsTokensInClear = (settings: AccessSettings & Pick<Settings, 'publicUrl'>): boolean =>
  hasAccessControl(settings) && settings.publicUrl !== undefined && !isSafeUrl(new URL(settings.publicUrl))

/** How to turn access control on, for texts. */
/** The settings that let callers in. @param displayName what the user calls a setting */
export const describeAccessSettings = (displayName = (name: string): string => name): string =>
  `${displayName('JWT_ISSUER')}, ${displayName('JWT_SECRET')} or ${displayName('API_KEYS_FILE')}`

/** @param name what the user calls the setting @throws ConfigError if the keys cannot be read */
export function openApiKeys(options: ApiKeysOptions, name: string): ApiKeys {
  try {
    return new ApiKeys(options)
  } catch (error) {
    throw error instanceof ApiKeyFileError ? new ConfigError(`${name}: ${error.message}`) : error
  }
}

interface SpecOptions {
  /** What the user calls a setting. */
  readonly displayName?: (name: string) => string
  /** Paths that clients know as resources of their own, beside the endpoint. */
  readonly resources?: readonly string[]
}

/** The issuers that are trusted. @throws ConfigError naming ISSUERS_FILE */
export const getIssuerSpecs = (
  settings: Settings,
  { displayName = optionName, resources = [] }: SpecOptions = {},
): readonly IssuerSpec[] => explain(() => readIssuerSpecs(settings, resources), displayName('ISSUERS_FILE'))

/** What tokens for the endpoint name. */
export const getAudience = (settings: Settings): string => settings.jwtAudience?.[0] ?? getResourceUri(settings)

/** Where clients get tokens now. None for API keys alone: nobody issues them to strangers. */
export function getAuthorizationServers(settings: Settings, issuers?: Pick<Issuers, 'signInUrls'>): readonly string[] {
  if (!acceptsTokens(settings)) return []
  return settings.authorizationServers ?? issuers?.signInUrls ?? listSignInUrls(getIssuerSpecs(settings))
}

function explain<T>(read: () => T, name: string): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof IssuersFileError ? new ConfigError(`${name}: ${error.message}`) : error
  }
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
      `${displayName('HOST')}: ${host} is not loopback and there is no access control; set ${describeAccessSettings(displayName)}, or ${displayName('ALLOW_ANONYMOUS')}=true to open it to everyone`,
    )
}

/** Before the start: the message then names the setting as the user does. @throws ConfigError */
export function assertApiKeysFile(file: string | undefined, name: string): void {
  if (file !== undefined) openApiKeys({ file, log: undefined }, name)
}
