// All issuers that the settings trust: the flat ones and those of ISSUERS_FILE.
import {
  ConfigError,
  getPathUrl,
  getResourceUri,
  hasFlatIssuer,
  type IssuerSettings,
  listSignInUrls,
  readFlatSettings,
  type Settings,
  splitByMetadata,
} from 'toolrack/settings'
import type { ClaimRules } from './claims.ts'
import type { OpenIssuer } from './create-issuer.ts'
import type { IssuerSpec } from './issuers.ts'

/** The issuers of ISSUERS_FILE, beside that of the flat settings, and how issuers are asked. */
export interface IssuerSource {
  /** @throws IssuersFileError */
  read(file: string): readonly IssuerSettings[]
  readonly open: OpenIssuer
}

/** The message names the entry and the expected form. */
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

function toSpec(issuer: IssuerSettings, audiences: readonly string[], isFlat: boolean): IssuerSpec {
  const { secret, jwksUrl, algorithms, introspection } = issuer
  return {
    rules: toRules(issuer, audiences),
    secret,
    jwksUrl,
    algorithms,
    introspection,
    isExchanged: isFlat,
    signInUrls: listSignInUrls(issuer),
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

/** @param name the user's name for ISSUERS_FILE @throws ConfigError naming it */
export function getIssuerSpecs(
  settings: Settings,
  { name = 'issuersFile', ...context }: IssuersContext & { readonly name?: string } = {},
): readonly IssuerSpec[] {
  try {
    return readIssuerSpecs(settings, context)
  } catch (error) {
    throw error instanceof IssuersFileError ? new ConfigError(`${name}: ${error.message}`) : error
  }
}
