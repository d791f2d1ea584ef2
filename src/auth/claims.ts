// Validates the claims of a token and builds the caller. plugins/auth.ts checks the signature.
// RFC 9068, 2.2 and 4; RFC 8725; spec 2026-07-28: basic/authorization, "Token Handling".
import type { JsonObject } from '../protocol/messages.ts'
import type { Caller } from '../request/exchange.ts'
import { API_KEY_ISSUER } from './api-key.ts'
import { type ClaimNames, isWholeText, selectClaims } from './caller-claims.ts'
import { type ParsedToken, TokenError } from './token.ts'

/** Tolerated clock difference, s. */
export const TOLERANCE_S = 30
/** Maximum remaining lifetime of a token, s. */
export const MAX_LIFETIME_S = 24 * 60 * 60

export interface ClaimRules {
  /** Required `iss`, compared exactly; undefined: any. */
  readonly issuer: string | undefined
  readonly audience: string
  /** Accepted instead: the audience of HTTP+SSE. */
  readonly otherAudience?: string | undefined
  /** The claims that callers have; undefined: none. */
  readonly names?: ClaimNames | undefined
}

const MAX_TEXT_LENGTH = 512
const ACCEPTED_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt', 'application/jwt'])

/** @param nowS Unix time in seconds @throws TokenError */
export function verifyClaims(
  { header, payload }: ParsedToken,
  rules: ClaimRules,
  nowS: number,
): Caller & { expiresAtS: number } {
  if (header.typ !== undefined && !ACCEPTED_TYPES.has(header.typ.toLowerCase()))
    throw new TokenError('typ is of another token')
  if (payload['at_hash'] !== undefined || payload['c_hash'] !== undefined)
    throw new TokenError('an ID token is no access token')
  const expiresAtS = checkTimes(payload, nowS)
  checkAudience(payload['aud'], rules)
  return {
    issuer: readIssuer(payload['iss'], rules.issuer),
    subject: requireText(payload['sub'], 'sub'),
    clientId: readOptionalText(payload['client_id'] ?? payload['azp'], 'client_id'),
    scopes: readScopes(payload),
    ...(rules.names && { claims: selectClaims(payload, rules.names) }),
    expiresAtS,
  }
}

function checkTimes({ exp, nbf, iat }: JsonObject, nowS: number): number {
  const expiresAtS = requireTime(exp, 'exp')
  if (expiresAtS + TOLERANCE_S < nowS) throw new TokenError('the token has expired')
  if (expiresAtS > nowS + MAX_LIFETIME_S + TOLERANCE_S) throw new TokenError('the token is valid for longer than a day')
  if (nbf !== undefined && requireTime(nbf, 'nbf') > nowS + TOLERANCE_S)
    throw new TokenError('the token is not valid yet')
  if (iat !== undefined && requireTime(iat, 'iat') > nowS + TOLERANCE_S)
    throw new TokenError('the token is from the future')
  return expiresAtS
}

function checkAudience(aud: unknown, { audience, otherAudience = audience }: ClaimRules): void {
  const isOurs = Array.isArray(aud)
    ? aud.every(entry => typeof entry === 'string') && (aud.includes(audience) || aud.includes(otherAudience))
    : aud === audience || aud === otherAudience
  if (!isOurs) throw new TokenError('aud is not this server')
}

function readIssuer(iss: unknown, expected: string | undefined): string | undefined {
  if (expected !== undefined && iss !== expected) throw new TokenError('iss is not the issuer that is trusted')
  // A token that JWT_SECRET signs could otherwise be the caller of an API key.
  if (iss === API_KEY_ISSUER) throw new TokenError('iss is that of API keys')
  return readOptionalText(iss, 'iss')
}

// `scope` is RFC 8693; Entra and Okta use `scp`.
function readScopes({ scope, scp }: JsonObject): readonly string[] {
  const value = scope ?? scp ?? []
  const scopes = typeof value === 'string' ? value.split(' ') : value
  if (!Array.isArray(scopes) || !scopes.every(entry => typeof entry === 'string'))
    throw new TokenError('scope is not text')
  return Object.freeze(scopes.filter(entry => entry !== ''))
}

function requireTime(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TokenError(`${name} is missing, or no time`)
}

function requireText(value: unknown, name: string): string {
  if (isClaimText(value)) return value
  throw new TokenError(`${name} is missing, or no text`)
}

/** Whether it can name a subject, an issuer or a client. */
export const isClaimText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH && isWholeText(value)

const readOptionalText = (value: unknown, name: string) => (value === undefined ? undefined : requireText(value, name))
