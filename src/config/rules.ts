// Conflicts between settings that would leave a server open against the operator's intent.
import { type HostKind, hasPath } from './doors.ts'
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

interface PathSettings {
  readonly mcpPath: string
  readonly metrics: boolean
  readonly metricsPort?: number | undefined
}

/**
 * A path that is taken would otherwise show only when routes are mounted.
 *
 * @param taken with a slash at the end of those that have all below them
 * @returns the conflict with the name of the setting; undefined without one
 */
export function findPathConflict(
  { mcpPath }: PathSettings,
  displayName: (setting: string) => string,
  taken: readonly string[],
): string | undefined {
  if (!hasPath(taken, mcpPath)) return undefined
  return `${displayName('MCP_PATH')}: expected a path of its own; at ${mcpPath} the server has something else`
}

/** The paths of the server itself, beside its doors. */
export function listOwnPaths({ metrics, metricsPort }: PathSettings, { isPlugin }: HostKind): readonly string[] {
  const wellKnown = '/.well-known/oauth-protected-resource'
  if (isPlugin) return [wellKnown]
  return [wellKnown, '/health', '/ready', ...(metrics && metricsPort === undefined ? ['/metrics'] : [])]
}
