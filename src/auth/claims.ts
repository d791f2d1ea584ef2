// Validates the claims of a token and builds the caller. plugins/auth.ts checks the signature.
// RFC 9068, 2.2 and 4; RFC 8725; spec 2026-07-28: basic/authorization, "Token Handling".
import type { JsonObject } from '../protocol/messages.ts'
import type { Caller } from '../request/exchange.ts'
import { API_KEY_ISSUER } from './api-key.ts'
import { type ClaimNames, isWholeText, selectClaims } from './caller-claims.ts'
import { readScopes, type ScopeRules } from './scope-claims.ts'
import { type ParsedToken, TokenError } from './token.ts'
import { assertAccessToken, findClient } from './token-kind.ts'

/** Tolerated clock difference, s. */
export const TOLERANCE_S = 30
/** Maximum remaining lifetime of a token, s. */
export const MAX_LIFETIME_S = 24 * 60 * 60

export interface ClaimRules {
  /** Accepted `iss`, compared exactly; undefined: any. */
  readonly issuers: readonly string[] | undefined
  /** Accepted `aud`: a token has to name one of them. */
  readonly audiences: readonly string[]
  /** The clients whose tokens are accepted, also without `aud`; undefined: all, with `aud`. */
  readonly clientIds?: readonly string[] | undefined
  /** The claims that callers have; undefined: none. */
  readonly names?: ClaimNames | undefined
  readonly scopes?: ScopeRules | undefined
  /** Whether the issuer signs ID tokens with the same keys. */
  readonly hasIdTokens?: boolean | undefined
}

const MAX_TEXT_LENGTH = 512

/** @param nowS Unix time in seconds @throws TokenError */
export function verifyClaims(token: ParsedToken, rules: ClaimRules, nowS: number): Caller & { expiresAtS: number } {
  const { payload } = token
  assertAccessToken(token, rules.hasIdTokens === true)
  const expiresAtS = checkTimes(payload, nowS)
  const clientId = readOptionalText(findClient(payload), 'client_id')
  checkAudience(payload['aud'], clientId, rules)
  return {
    issuer: readIssuer(payload['iss'], rules.issuers),
    subject: requireText(payload['sub'], 'sub'),
    clientId,
    scopes: readScopes(payload, rules.scopes ?? {}),
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

// Cognito's access tokens have no audience, so there the client has to say for whom they are.
function checkAudience(aud: unknown, clientId: string | undefined, { audiences, clientIds }: ClaimRules): void {
  if (clientIds !== undefined && (clientId === undefined || !clientIds.includes(clientId)))
    throw new TokenError('client_id is not a client that is accepted')
  if (aud === undefined && clientIds !== undefined) return
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isOurs = named.every(entry => typeof entry === 'string') && audiences.some(each => named.includes(each))
  if (!isOurs) throw new TokenError('aud is not this server')
}

function readIssuer(iss: unknown, expected: readonly string[] | undefined): string | undefined {
  if (expected !== undefined && !expected.some(each => each === iss))
    throw new TokenError('iss is not the issuer that is trusted')
  // A token that JWT_SECRET signs could otherwise be the caller of an API key.
  if (iss === API_KEY_ISSUER) throw new TokenError('iss is that of API keys')
  return readOptionalText(iss, 'iss')
}

function requireTime(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TokenError(value === undefined ? `${name} is missing` : `${name} is not a time`)
}

function requireText(value: unknown, name: string): string {
  if (isClaimText(value)) return value
  throw new TokenError(`${name} ${explainNoClaimText(value)}`)
}

/** Whether it can name a subject, an issuer or a client. */
export const isClaimText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH && isWholeText(value)

function explainNoClaimText(value: unknown): string {
  if (value === undefined || value === null) return 'is missing'
  if (typeof value !== 'string') return 'is not a text'
  if (value === '') return 'is empty'
  if (value.length > MAX_TEXT_LENGTH) return `is longer than ${MAX_TEXT_LENGTH} characters`
  return 'has characters that are not allowed'
}

const readOptionalText = (value: unknown, name: string) => (value === undefined ? undefined : requireText(value, name))
