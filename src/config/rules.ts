// Conflicts between settings that would leave a server open against the operator's intent.
import { API_KEY_ISSUER } from '../auth/api-key.ts'
import type { Algorithm } from '../auth/keys.ts'
import { type DoorSettings, type HostKind, hasConsole, hasPlainHttp, isPlainHttpPath } from './doors.ts'

interface AccessSettings {
  readonly jwtSecret?: string | undefined
  readonly jwtJwksUrl?: string | undefined
  readonly jwtAlgorithms?: readonly Algorithm[] | undefined
  readonly jwtIssuer?: readonly string[] | undefined
  readonly jwtAudience?: readonly string[] | undefined
  readonly jwtClientIds?: readonly string[] | undefined
  readonly jwtScopeClaims?: object | undefined
  readonly jwtScopePrefix?: string | undefined
  readonly jwtClaims?: object | undefined
}

const PUBLIC_KEY = /-----BEGIN |"kty"\s*:/

/** @returns the conflict with the name of the setting; undefined without one */
export function findAccessConflict(
  settings: AccessSettings,
  displayName: (setting: string) => string,
): string | undefined {
  const { jwtSecret, jwtJwksUrl, jwtIssuer } = settings
  const [secret, url, issuer] = ['JWT_SECRET', 'JWT_JWKS_URL', 'JWT_ISSUER'].map(displayName)
  if (jwtSecret !== undefined && jwtJwksUrl !== undefined) return `${secret}: expected either it or ${url}, not both`
  if (jwtJwksUrl !== undefined && jwtIssuer === undefined) return `${issuer}: expected the issuer whose keys ${url} has`
  // Anyone with the public key could sign tokens.
  if (jwtSecret !== undefined && PUBLIC_KEY.test(jwtSecret))
    return `${secret}: expected a shared secret, not a key pair`
  if (jwtIssuer?.includes(API_KEY_ISSUER)) return `${issuer}: expected the issuer of tokens, not that of API keys`
  const algorithms = findAlgorithmConflict(settings)
  if (algorithms !== undefined) return `${displayName('JWT_ALGORITHMS')}: ${algorithms}`
  const google = findGoogleConflict(settings)
  if (google !== undefined) return `${displayName('JWT_CLIENT_IDS')}: ${google}`
  if (jwtSecret !== undefined || jwtJwksUrl !== undefined) return undefined
  const alone = findForTokens(settings)
  return alone === undefined ? undefined : `${displayName(alone)}: expected ${secret} or ${url} beside it`
}

/** What does nothing unless tokens are verified. */
const FOR_TOKENS = {
  jwtAlgorithms: 'JWT_ALGORITHMS',
  jwtIssuer: 'JWT_ISSUER',
  jwtAudience: 'JWT_AUDIENCE',
  jwtClientIds: 'JWT_CLIENT_IDS',
  jwtScopeClaims: 'JWT_SCOPE_CLAIMS',
  jwtScopePrefix: 'JWT_SCOPE_PREFIX',
  jwtClaims: 'JWT_CLAIMS',
} as const satisfies Partial<Record<keyof AccessSettings, string>>

const findForTokens = (settings: AccessSettings) =>
  Object.entries(FOR_TOKENS).find(([option]) => settings[option as keyof AccessSettings] !== undefined)?.[1]

// A shared secret is HS256 only, and a published key never is.
function findAlgorithmConflict({ jwtSecret, jwtJwksUrl, jwtAlgorithms }: AccessSettings): string | undefined {
  if (jwtAlgorithms === undefined) return undefined
  if (jwtSecret !== undefined && jwtAlgorithms.join() !== 'HS256') return 'expected HS256 alone, as the secret signs'
  if (jwtJwksUrl !== undefined && jwtAlgorithms.includes('HS256'))
    return 'expected no HS256, since published keys are no secrets'
  return undefined
}

const GOOGLE = /^(https:\/\/)?accounts\.google\.com$/
const GOOGLE_APP = /\.apps\.googleusercontent\.com$/

/**
 * Google signs ID tokens only. Those of service accounts can be had for any audience, by anybody,
 * so the accounts have to be named. Those of apps say that a user has signed in there, and allow
 * nothing.
 */
function findGoogleConflict({ jwtIssuer = [], jwtClientIds }: AccessSettings): string | undefined {
  if (!jwtIssuer.some(issuer => GOOGLE.test(issuer))) return undefined
  if (jwtClientIds === undefined || jwtClientIds.some(id => GOOGLE_APP.test(id)))
    return 'expected the unique ids of the service accounts that may call, since Google issues no access tokens'
  return undefined
}

interface ClaimSettings extends AccessSettings {
  readonly apiKeysFile?: string | undefined
  readonly rateLimitClaim?: string | undefined
  readonly tenantClaim?: string | undefined
}

/** @returns a setting that names a claim that no caller can have; undefined without one */
export function findClaimConflict(
  settings: ClaimSettings,
  displayName: (setting: string) => string,
): string | undefined {
  const { jwtSecret, jwtJwksUrl, apiKeysFile, jwtClaims = {}, rateLimitClaim, tenantClaim } = settings
  // Without access control, an app gives requests their caller. API keys have claims of their own.
  if ((jwtSecret === undefined && jwtJwksUrl === undefined) || apiKeysFile !== undefined) return undefined
  const unknown = Object.entries({ RATE_LIMIT_CLAIM: rateLimitClaim, TENANT_CLAIM: tenantClaim }).find(
    ([, claim]) => claim !== undefined && !Object.hasOwn(jwtClaims, claim),
  )
  if (unknown === undefined) return undefined
  const [name, claim] = unknown
  return `${displayName(name)}: expected a claim that ${displayName('JWT_CLAIMS')} names, not ${claim}`
}

// Conflicts of the endpoint's path, which would otherwise show only when routes are mounted.

interface PathSettings extends DoorSettings {
  readonly httpSse: boolean
  readonly metrics: boolean
  readonly metricsPort?: number | undefined
}

/** @returns the conflict with the name of the setting; undefined without one */
export function findPathConflict(
  settings: PathSettings,
  displayName: (setting: string) => string,
  hostKind: HostKind,
): string | undefined {
  const { mcpPath } = settings
  const isTaken = listTakenPaths(settings, hostKind).includes(mcpPath)
  if (!isTaken && !(hasPlainHttp(settings, hostKind) && isPlainHttpPath(mcpPath))) return undefined
  return `${displayName('MCP_PATH')}: expected a path of its own; at ${mcpPath} the server has something else`
}

function listTakenPaths(settings: PathSettings, hostKind: HostKind): string[] {
  const { httpSse, metrics, metricsPort } = settings
  const taken = ['/.well-known/oauth-protected-resource']
  if (httpSse) taken.push('/sse', '/messages')
  if (hasConsole(settings, hostKind)) taken.push('/console', '/console/config.json', '/console/api/activity')
  if (hostKind.isPlugin) return taken
  taken.push('/health', '/ready')
  if (metrics && metricsPort === undefined) taken.push('/metrics')
  return taken
}
