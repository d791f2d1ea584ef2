// All issuers that the settings trust: the flat ones and those of ISSUERS_FILE, as the server uses them.
import type { ClaimRules } from '../auth/claims.ts'
import type { OpenIssuer } from '../auth/create-issuer.ts'
import type { IssuerSpec } from '../auth/issuers.ts'
import { hasFlatIssuer, type IssuerSettings, readFlatSettings } from './issuer-settings.ts'
import { getPathUrl, getResourceUri } from './public-url.ts'
import type { Settings } from './settings.ts'
import { listSharedIssuers } from './shared-issuers.ts'

/** The issuers of ISSUERS_FILE, beside that of the flat settings, and how issuers are asked. */
export interface IssuerSource {
  /** @throws IssuersFileError */
  read(file: string): readonly IssuerSettings[]
  readonly open: OpenIssuer
}

/** The message names the entry and what was expected. */
export class IssuersFileError extends Error {
  override name = 'IssuersFileError'
}

export interface IssuersContext {
  /** Paths that clients know as resources of their own, beside the endpoint. */
  readonly resources?: readonly string[]
  /** Of ISSUERS_FILE. */
  readonly source?: IssuerSource | undefined
}

/** @throws IssuersFileError */
export function readIssuerSpecs(settings: Settings, { resources = [], source }: IssuersContext): readonly IssuerSpec[] {
  const { issuersFile: file } = settings
  // They accept each other's tokens, since all serve the same tools.
  const audiences = [getResourceUri(settings), ...resources.map(path => getPathUrl(settings, path).href)]
  const flat = hasFlatIssuer(settings) ? [readFlatSettings(settings)] : []
  const toSpecs = (issuers: readonly IssuerSettings[], isFlat: boolean) =>
    issuers.flatMap(splitByMetadata).map(issuer => toSpec(issuer, audiences, isFlat))
  const specs = [...toSpecs(flat, true), ...toSpecs(file === undefined ? [] : source!.read(file), false)]
  assertDistinct(specs)
  return specs
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

/** @throws IssuersFileError if one is there twice */
function assertDistinct(specs: readonly IssuerSpec[]): void {
  const names = specs.flatMap(({ rules }) => [...new Set(rules.issuers)])
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new IssuersFileError(`expected each issuer once; ${twice} is there twice`)
}
