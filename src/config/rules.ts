// Conflicts between settings that would leave a server open against the operator's intent.
import { type DoorSettings, type HostKind, hasConsole, hasPlainHttp, isPlainHttpPath } from './doors.ts'
import {
  FLAT_OPTIONS,
  type FlatIssuerSettings,
  findIssuerConflict,
  hasFlatIssuer,
  readFlatSettings,
} from './issuer-settings.ts'

interface AccessSettings extends FlatIssuerSettings {
  readonly issuersFile?: string | undefined
}

/** `jwtJwksUrl` → `JWT_JWKS_URL`. */
const toSettingName = (option: string) => option.replace(/[A-Z]/g, '_$&').toUpperCase()

/** @returns the conflict with the name of the setting; undefined without one */
export function findAccessConflict(
  settings: AccessSettings,
  displayName: (setting: string) => string,
): string | undefined {
  const flat = readFlatSettings(settings)
  const name = (field: string) => displayName(toSettingName(FLAT_OPTIONS[field as keyof typeof FLAT_OPTIONS]))
  if (!hasFlatIssuer(settings)) {
    const [alone] = Object.entries(flat).find(([, value]) => value !== undefined) ?? []
    const [issuer, secret, url] = ['JWT_ISSUER', 'JWT_SECRET', 'JWT_JWKS_URL'].map(displayName)
    return alone === undefined ? undefined : `${name(alone)}: expected ${issuer}, ${secret} or ${url} beside it`
  }
  if (settings.issuersFile !== undefined && flat.issuer === undefined)
    return `${name('issuer')}: expected the issuer whose tokens ${name('secret')} signs, beside ${displayName('ISSUERS_FILE')}`
  return findIssuerConflict(flat, name)
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
  const { apiKeysFile, issuersFile, jwtClaims = {}, rateLimitClaim, tenantClaim } = settings
  // Without access control, an app gives requests their caller. Other callers have claims of their own.
  if (!hasFlatIssuer(settings) || apiKeysFile !== undefined || issuersFile !== undefined) return undefined
  const unknown = Object.entries({ RATE_LIMIT_CLAIM: rateLimitClaim, TENANT_CLAIM: tenantClaim }).find(
    ([, claim]) => claim !== undefined && !Object.hasOwn(jwtClaims, claim),
  )
  if (unknown === undefined) return undefined
  const [name, claim] = unknown
  return `${displayName(name)}: expected a claim that ${displayName('JWT_CLAIMS')} names, not ${claim}`
}

interface AuditSettings {
  readonly auditRequired: boolean
  readonly auditFile?: string | undefined
}

/** Elsewhere the server cannot know whether lines are lost. @returns the conflict; undefined without one */
export const findAuditConflict = (
  { auditRequired, auditFile }: AuditSettings,
  displayName: (setting: string) => string,
): string | undefined =>
  auditRequired && auditFile === undefined
    ? `${displayName('AUDIT_REQUIRED')}: expected ${displayName('AUDIT_FILE')} beside it`
    : undefined

interface StateSettings {
  readonly state?: string | undefined
  readonly redisUrl?: string | undefined
}

/** @returns the conflict of two places for one state; undefined without one */
export const findStateConflict = (
  { state, redisUrl }: StateSettings,
  displayName: (setting: string) => string,
): string | undefined =>
  state === undefined || redisUrl === undefined
    ? undefined
    : `${displayName('STATE')}: expected no ${displayName('REDIS_URL')} beside it: the state is in one place`

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
