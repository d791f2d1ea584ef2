// Validates the claims of a token and builds the caller. `TokenVerifier` has the signature checked.
// RFC 9068, 2.2 and 4; RFC 8725; spec 2026-07-28: basic/authorization, "Token Handling".

import type { Caller, JsonObject } from 'toolrack'
import {
  API_KEY_ISSUER,
  type ClaimNames,
  type ClaimPatterns,
  explainNoClaimText,
  isClaimText,
  isTrustDomain,
  isTrustDomainOf,
  TOLERANCE_S,
  TokenError,
} from 'toolrack/access'
import type { ParsedToken } from './parse-token.ts'
import { selectClaims } from './select-claims.ts'
import { assertAccessToken, assertIntrospected, findClient, type KindRules } from './token-kind.ts'
import { readScopes, type ScopeRules } from './token-scopes.ts'
import { findUnmatchedClaim } from './unmatched-claim.ts'

/** Maximum remaining lifetime of a token, s. */
export const MAX_LIFETIME_S = 24 * 60 * 60

export interface ClaimRules extends KindRules {
  /** Accepted `iss`, compared exactly; undefined: any. */
  readonly issuers: readonly string[] | undefined
  /** Accepted `aud`: a token has to name one of them. */
  readonly audiences: readonly string[]
  /** Accepts tokens without `aud`, as Cognito issues them. */
  readonly isAudienceOptional?: boolean | undefined
  /** The clients whose tokens are accepted; undefined: all. */
  readonly clientIds?: readonly string[] | undefined
  /** What a token must have besides. */
  readonly requiredClaims?: ClaimPatterns | undefined
  /** The claims that callers have; undefined: none. */
  readonly names?: ClaimNames | undefined
  readonly scopes?: ScopeRules | undefined
}

type VerifiedClaims = Caller & { readonly expiresAtS: number }

/** @param nowS Unix time in seconds @throws TokenError */
export function verifyClaims(token: ParsedToken, rules: ClaimRules, nowS: number): VerifiedClaims {
  const { payload } = token
  assertAccessToken(token, rules)
  const expiresAtS = checkTimes(payload, nowS)
  if (expiresAtS > nowS + MAX_LIFETIME_S + TOLERANCE_S) throw new TokenError('the token is valid for longer than a day')
  return { ...readCaller(payload, rules), expiresAtS }
}

/** How long an answer of an issuer counts, s. It ends the streams of a token that was revoked. */
const MAX_ANSWER_S = 60 * 60

/**
 * The same for what the issuer says of an opaque token. It may live long, since the issuer is asked
 * again and again. RFC 7662, 2.2.
 *
 * @param nowS Unix time in seconds
 * @throws TokenError
 */
export function verifyIntrospected(payload: JsonObject, rules: ClaimRules, nowS: number): VerifiedClaims {
  assertIntrospected(payload)
  const { exp = nowS + MAX_ANSWER_S, iss = rules.issuers?.[0] } = payload
  const expiresAtS = Math.min(checkTimes({ ...payload, exp }, nowS), nowS + MAX_ANSWER_S)
  return { ...readCaller({ ...payload, iss }, rules), expiresAtS }
}

function readCaller(payload: JsonObject, rules: ClaimRules): Caller {
  const clientId = readOptionalText(findClient(payload), 'client_id')
  checkAudience(payload['aud'], clientId, rules)
  const issuer = readIssuer(payload, rules.issuers)
  const { requiredClaims = {} } = rules
  const unmatched = findUnmatchedClaim(payload, requiredClaims)
  if (unmatched !== undefined) throw new TokenError(`${unmatched} does not have a value that is required`)
  return {
    issuer,
    subject: requireText(payload['sub'], 'sub'),
    clientId,
    scopes: readScopes(payload, rules.scopes ?? {}),
    ...(rules.names && { claims: selectClaims(payload, rules.names) }),
  }
}

function checkTimes({ exp, nbf, iat }: JsonObject, nowS: number): number {
  const expiresAtS = requireTime(exp, 'exp')
  if (expiresAtS + TOLERANCE_S < nowS) throw new TokenError('the token has expired')
  if (nbf !== undefined && requireTime(nbf, 'nbf') > nowS + TOLERANCE_S)
    throw new TokenError('the token is not valid yet')
  if (iat !== undefined && requireTime(iat, 'iat') > nowS + TOLERANCE_S)
    throw new TokenError('the token is from the future')
  return expiresAtS
}

function checkAudience(
  aud: unknown,
  clientId: string | undefined,
  { audiences, isAudienceOptional, clientIds }: ClaimRules,
): void {
  if (clientIds !== undefined && (clientId === undefined || !clientIds.includes(clientId)))
    throw new TokenError('client_id is not a client that is accepted')
  if (aud === undefined && isAudienceOptional === true) return
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isOurs = named.every(entry => typeof entry === 'string') && audiences.some(each => named.includes(each))
  if (!isOurs) throw new TokenError('aud is not this server')
}

function readIssuer({ iss, sub }: JsonObject, expected: readonly string[] | undefined): string | undefined {
  // SPIFFE's tokens may lack `iss`: their subject is in the trust domain. JWT-SVID, 3.
  const named = iss === undefined ? expected?.find(each => isTrustDomainOf(each, sub)) : iss
  if (expected !== undefined && !expected.some(each => each === named))
    throw new TokenError('iss is not the issuer that is trusted')
  if (isTrustDomain(named) && !isTrustDomainOf(named, sub)) throw new TokenError('sub is not in the trust domain')
  // A token that JWT_SECRET signs could otherwise be the caller of an API key.
  if (named === API_KEY_ISSUER) throw new TokenError('iss is that of API keys')
  return readOptionalText(named, 'iss')
}

function requireTime(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TokenError(value === undefined ? `${name} is missing` : `${name} is not a time`)
}

function requireText(value: unknown, name: string): string {
  if (isClaimText(value)) return value
  throw new TokenError(`${name} ${explainNoClaimText(value)}`)
}

const readOptionalText = (value: unknown, name: string) => (value === undefined ? undefined : requireText(value, name))
