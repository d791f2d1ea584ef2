// One issuer as an operator writes it: the flat settings (JWT_…) are one, and each entry of
// ISSUERS_FILE is another. Refuses settings that would let in more than the operator means.

import type { Algorithm } from '../auth/algorithms.ts'
import { API_KEY_ISSUER } from '../auth/api-key.ts'
import type { ClaimNames } from '../auth/caller-claims.ts'
import type { ClaimPatterns } from '../auth/claim-patterns.ts'
import type { ScopeClaims } from '../auth/scope-claims.ts'
import { isTrustDomain, isTrustDomainName } from '../auth/trust-domain.ts'
import { isSafeUrl } from './addresses.ts'
import { isNarrowed, listSharedIssuers } from './shared-issuers.ts'

/** How an issuer is asked about its opaque tokens; the file of issuers says more. */
export interface IntrospectionSpec {
  /** Undefined: that of the issuer's metadata. */
  readonly url: string | undefined
  /** How its tokens begin; undefined: it is asked about all. */
  readonly tokenPrefix: string | undefined
}

export interface IssuerSettings {
  readonly secret?: string | undefined
  readonly jwksUrl?: string | undefined
  readonly issuer?: readonly string[] | undefined
  readonly algorithms?: readonly Algorithm[] | undefined
  readonly audience?: readonly string[] | undefined
  readonly audienceOptional?: boolean | undefined
  readonly clientIds?: readonly string[] | undefined
  readonly requiredClaims?: ClaimPatterns | undefined
  readonly scopeClaims?: ScopeClaims | undefined
  readonly scopePrefix?: string | undefined
  readonly claims?: ClaimNames | undefined
  /** In the file alone, as the last. */
  readonly accessTokens?: ClaimPatterns | undefined
  readonly introspection?: IntrospectionSpec | undefined
}

export type IssuerField = keyof IssuerSettings

/** The flat settings, by their option. */
export const FLAT_OPTIONS = {
  secret: 'jwtSecret',
  jwksUrl: 'jwtJwksUrl',
  issuer: 'jwtIssuer',
  algorithms: 'jwtAlgorithms',
  audience: 'jwtAudience',
  audienceOptional: 'jwtAudienceOptional',
  clientIds: 'jwtClientIds',
  requiredClaims: 'jwtRequiredClaims',
  scopeClaims: 'jwtScopeClaims',
  scopePrefix: 'jwtScopePrefix',
  claims: 'jwtClaims',
} as const satisfies Partial<Record<IssuerField, string>>

export type FlatIssuerSettings = {
  readonly [F in keyof typeof FLAT_OPTIONS as (typeof FLAT_OPTIONS)[F]]?: IssuerSettings[F]
}

export const readFlatSettings = (settings: FlatIssuerSettings): IssuerSettings =>
  Object.fromEntries(
    Object.entries(FLAT_OPTIONS).map(([field, option]) => [field, settings[option as keyof FlatIssuerSettings]]),
  )

/** Whether the flat settings name an issuer. */
export const hasFlatIssuer = ({ jwtSecret, jwtJwksUrl, jwtIssuer }: FlatIssuerSettings): boolean =>
  jwtSecret !== undefined || jwtJwksUrl !== undefined || jwtIssuer !== undefined

/** Without the URL of shared keys, each issuer names its own. */
export const splitByMetadata = (settings: IssuerSettings): readonly IssuerSettings[] =>
  (settings.secret ?? settings.jwksUrl) === undefined
    ? (settings.issuer ?? []).map(issuer => ({ ...settings, issuer: [issuer] }))
    : [settings]

/** Those of its names at which people and clients sign in, by URL. */
export function listSignInUrls({ issuer = [] }: IssuerSettings): readonly string[] {
  const hasSignIn = listSharedIssuers(issuer).every(({ hasSignIn = false }) => hasSignIn)
  return hasSignIn ? issuer.filter(each => /^https?:/.test(each) && URL.canParse(each)) : []
}

const PUBLIC_KEY = /-----BEGIN |"kty"\s*:/

/**
 * @param displayName what the user calls a field
 * @returns the conflict with the name of the field; undefined without one
 */
export function findIssuerConflict(
  settings: IssuerSettings,
  displayName: (field: IssuerField) => string,
): string | undefined {
  for (const [field, find] of CONFLICTS) {
    const expected = find(settings, displayName)
    if (expected !== undefined) return `${displayName(field)}: ${expected}`
  }
  return undefined
}

type FindConflict = (settings: IssuerSettings, displayName: (field: IssuerField) => string) => string | undefined

const CONFLICTS: readonly (readonly [IssuerField, FindConflict])[] = [
  [
    'secret',
    ({ secret, jwksUrl }, name) =>
      secret !== undefined && jwksUrl !== undefined ? `expected either it or ${name('jwksUrl')}, not both` : undefined,
  ],
  [
    'issuer',
    ({ jwksUrl, issuer }, name) =>
      jwksUrl !== undefined && issuer === undefined
        ? `expected the issuer whose keys ${name('jwksUrl')} has`
        : undefined,
  ],
  // Anyone with the public key could sign tokens.
  ['secret', ({ secret = '' }) => (PUBLIC_KEY.test(secret) ? 'expected a shared secret, not a key pair' : undefined)],
  [
    'issuer',
    ({ issuer }) =>
      issuer?.includes(API_KEY_ISSUER) ? 'expected the issuer of tokens, not that of API keys' : undefined,
  ],
  [
    'issuer',
    ({ issuer }) =>
      issuer?.some(each => isTrustDomain(each) && !isTrustDomainName(each))
        ? 'expected a trust domain of SPIFFE without a path, such as spiffe://acme.example'
        : undefined,
  ],
  ['issuer', findDiscoveryConflict],
  ['algorithms', findAlgorithmConflict],
  ['clientIds', findGoogleConflict],
  ['requiredClaims', findSharedConflict],
  ['audienceOptional', findAudienceConflict],
]

/** Without keys, the metadata of the issuer has to name them. */
function findDiscoveryConflict(settings: IssuerSettings, name: (field: IssuerField) => string): string | undefined {
  const { secret, jwksUrl, introspection, issuer = [] } = settings
  if ((secret ?? jwksUrl ?? introspection?.url) !== undefined || issuer.every(isIssuerUrl)) return undefined
  return `expected ${name('jwksUrl')} beside it, or the https URL of an issuer whose metadata names its keys`
}

const isIssuerUrl = (issuer: string) => {
  const url = URL.parse(issuer)
  return url !== null && isSafeUrl(url) && url.search === '' && url.hash === ''
}

// A shared secret is HS256 only, and a published key never is.
function findAlgorithmConflict({ secret, algorithms }: IssuerSettings): string | undefined {
  if (algorithms === undefined) return undefined
  if (secret !== undefined)
    return algorithms.join() === 'HS256' ? undefined : 'expected HS256 alone, as the secret signs'
  return algorithms.includes('HS256') ? 'expected no HS256, since published keys are not secret' : undefined
}

const GOOGLE = /^(https:\/\/)?accounts\.google\.com$/
const GOOGLE_APP = /\.apps\.googleusercontent\.com$/

/**
 * Google signs ID tokens only. Those of service accounts can be had for any audience, by anybody,
 * so the accounts have to be named. Those of apps say that a user has signed in there, and allow
 * nothing.
 */
function findGoogleConflict({ issuer = [], clientIds, introspection }: IssuerSettings): string | undefined {
  if (introspection !== undefined || !issuer.some(each => GOOGLE.test(each))) return undefined
  if (clientIds === undefined || clientIds.some(id => GOOGLE_APP.test(id)))
    return 'expected the unique ids of the service accounts that may call, since Google issues no access tokens'
  return undefined
}

function findSharedConflict({ issuer = [], requiredClaims = {} }: IssuerSettings): string | undefined {
  const shared = listSharedIssuers(issuer).find(each => !isNarrowed(each, requiredClaims))
  if (shared === undefined) return undefined
  const { example, name, signsFor = 'everybody' } = shared
  return `expected such as ${example}, since ${name} signs tokens for ${signsFor}`
}

// Without an audience, a token of another service would be accepted.
function findAudienceConflict(
  { audienceOptional, clientIds, requiredClaims }: IssuerSettings,
  name: (field: IssuerField) => string,
): string | undefined {
  if (audienceOptional !== true || (clientIds ?? requiredClaims) !== undefined) return undefined
  return `expected ${name('clientIds')} or ${name('requiredClaims')} beside it, which say whose tokens count`
}
