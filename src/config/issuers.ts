// All issuers that the settings trust: the flat ones and those of ISSUERS_FILE, as the server uses them.
import type { ClaimRules } from '../auth/claims.ts'
import type { IssuerSpec } from '../auth/issuers.ts'
import { hasFlatIssuer, type IssuerSettings, readFlatSettings } from './issuer-settings.ts'
import { IssuersFileError, parseIssuersFile } from './issuers-file.ts'
import { getPathUrl, getResourceUri } from './public-url.ts'
import { readSettingFile } from './setting-file.ts'
import type { Settings } from './settings.ts'
import { listSharedIssuers } from './shared-issuers.ts'

const MAX_ISSUERS_FILE_BYTES = 1024 * 1024

/** @param resources paths that clients know as resources of their own @throws IssuersFileError */
export function readIssuerSpecs(settings: Settings, resources: readonly string[] = []): readonly IssuerSpec[] {
  const { issuersFile: file } = settings
  // They accept each other's tokens, since all serve the same tools.
  const audiences = [getResourceUri(settings), ...resources.map(path => getPathUrl(settings, path).href)]
  const flat = hasFlatIssuer(settings) ? [readFlatSettings(settings)] : []
  const toSpecs = (issuers: readonly IssuerSettings[], isFlat: boolean) =>
    issuers.flatMap(splitByMetadata).map(issuer => toSpec(issuer, audiences, isFlat))
  const specs = [...toSpecs(flat, true), ...toSpecs(file === undefined ? [] : readFile(file), false)]
  assertDistinct(specs)
  return specs
}

/** @throws IssuersFileError */
function readFile(file: string): readonly IssuerSettings[] {
  try {
    return parseIssuersFile(readSettingFile(file, MAX_ISSUERS_FILE_BYTES))
  } catch (error) {
    throw error instanceof IssuersFileError ? error : new IssuersFileError((error as Error).message)
  }
}

/** Without the URL of shared keys, each issuer names its own. */
const splitByMetadata = (settings: IssuerSettings): readonly IssuerSettings[] =>
  (settings.secret ?? settings.jwksUrl) === undefined
    ? (settings.issuer ?? []).map(issuer => ({ ...settings, issuer: [issuer] }))
    : [settings]

function toSpec(issuer: IssuerSettings, audiences: readonly string[], isFlat: boolean): IssuerSpec {
  const { secret, jwksUrl, algorithms, introspection, issuer: issuers } = issuer
  return {
    rules: toRules(issuer, audiences),
    secret,
    jwksUrl,
    algorithms,
    introspection,
    isExchanged: isFlat,
    hasSignIn: listSharedIssuers(issuers ?? []).every(({ hasSignIn = false }) => hasSignIn),
  }
}

function toRules(issuer: IssuerSettings, audiences: readonly string[]): ClaimRules {
  return {
    issuers: issuer.issuer,
    audiences: issuer.audience ?? audiences,
    isAudienceOptional: issuer.audienceOptional,
    clientIds: issuer.clientIds,
    requiredClaims: issuer.requiredClaims,
    names: issuer.claims,
    scopes: { claims: issuer.scopeClaims, prefix: issuer.scopePrefix },
    accessTokens: issuer.accessTokens,
    hasIdTokens: issuer.secret === undefined,
  }
}

/** @throws IssuersFileError if a token could belong to two of them */
function assertDistinct(specs: readonly IssuerSpec[]): void {
  const names = specs.flatMap(({ rules }) => [...new Set(rules.issuers)])
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new IssuersFileError(`expected each issuer once; ${twice} is there twice`)
  const prefixes = specs.flatMap(({ introspection }) =>
    introspection === undefined ? [] : [introspection.tokenPrefix ?? ''],
  )
  const isMixed = prefixes.some((prefix, at) =>
    prefixes.some((other, place) => place !== at && other.startsWith(prefix)),
  )
  if (isMixed)
    throw new IssuersFileError(
      'expected a tokenPrefix in each introspection, and none that begins with another: no issuer may see the tokens of another',
    )
}
