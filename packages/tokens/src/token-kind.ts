// Tells access tokens from the other JWTs that an issuer signs with the same keys. ID tokens above
// all: their `aud` is a client, so one would pass where the audience is a client id (Entra).
// RFC 9068, 2.1, 2.2 and 5; RFC 8725, 3.11 and 3.12; OpenID Connect Core 1.0, 2.

import type { JsonObject } from 'toolrack'
import { type ClaimPatterns, TokenError } from 'toolrack/access'
import type { ParsedToken } from './parse-token.ts'
import { findUnmatchedClaim } from './unmatched-claim.ts'

const ACCESS_TYPES = new Set(['at+jwt', 'application/at+jwt'])
const PLAIN_TYPES = new Set(['jwt', 'application/jwt'])
/** Any compact signature (RFC 7515, 4.1.9), as SPIFFE writes it: only where a rule of the operator decides. */
const GENERAL_TYPE = 'jose'

const AUTHORIZATION_RESPONSE = 'an authorization response is not an access token'

/** Claims by which issuers say what a token is, and the values of access tokens. */
const KIND_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  // Cognito; answers of Hydra about a token
  token_use: ['access', 'access_token'],
  // Keycloak
  typ: ['bearer', 'jwt', 'at+jwt'],
  // PingAM
  tokenName: ['access_token'],
}
const HASHES = ['at_hash', 'c_hash', 's_hash']
/** Claims of messages that are not for a resource server. */
const OTHER_MESSAGES: Readonly<Record<string, string>> = {
  // RFC 8417, 2.2; OpenID Connect Back-Channel Logout 1.0, 2.4
  events: 'a security event is not an access token',
  // JARM, 2.1
  code: AUTHORIZATION_RESPONSE,
  access_token: AUTHORIZATION_RESPONSE,
  id_token: AUTHORIZATION_RESPONSE,
  // RFC 9701, 5
  token_introspection: 'an answer about a token is not an access token',
}
/** What only access tokens have; the last two are of Entra. */
const ACCESS_CLAIMS = ['scope', 'scp', 'azpacr', 'appidacr']

export interface KindRules {
  /** Whether the issuer signs ID tokens with the same keys. */
  readonly hasIdTokens?: boolean | undefined
  /** What its access tokens have, where the usual signs do not tell them (authentik, SPIFFE). */
  readonly accessTokens?: ClaimPatterns | undefined
}

/** @throws TokenError */
export function assertAccessToken(
  { header: { typ }, payload }: ParsedToken,
  { hasIdTokens = false, accessTokens }: KindRules,
): void {
  const type = typ?.toLowerCase()
  const isRuled = accessTokens !== undefined
  if (type !== undefined && !ACCESS_TYPES.has(type) && !PLAIN_TYPES.has(type) && !(isRuled && type === GENERAL_TYPE))
    throw new TokenError('typ is of another token')
  assertBearer(payload)
  const other = Object.keys(OTHER_MESSAGES).find(name => payload[name] !== undefined)
  if (other !== undefined) throw new TokenError(OTHER_MESSAGES[other]!)
  const kind = readKind(payload)
  assertNoHash(payload)
  if (isRuled) {
    assertRuled(payload, accessTokens)
    return
  }
  if (kind || (type !== undefined && ACCESS_TYPES.has(type))) return
  // Keycloak before version 24 has a nonce in access tokens, too, which it names Bearer.
  if (payload['nonce'] !== undefined) throw new TokenError(ID_TOKEN)
  if (hasIdTokens && !hasEvidence(payload))
    throw new TokenError('it names no client, no scopes and no URL as aud (or typ at+jwt), so it may be an ID token')
}

/**
 * Refuses tokens that are bound to a key, by DPoP (RFC 9449) or TLS (RFC 8705): whoever finds one
 * must not be able to use it as a bearer token.
 *
 * @throws TokenError
 */
export function assertBearer({ cnf, token_type: type }: JsonObject): void {
  if (cnf !== undefined)
    throw new TokenError('the token is bound to a key (cnf); this server accepts bearer tokens only')
  if (type !== undefined && String(type).toLowerCase() !== 'bearer')
    throw new TokenError('token_type is not Bearer; this server accepts bearer tokens only')
}

/**
 * Refuses what an issuer says of a token that is not for access: issuers answer about refresh tokens,
 * too, and some about ID tokens. RFC 7662, 2.1 and 2.2.
 *
 * @throws TokenError
 */
export function assertIntrospected(answer: JsonObject): void {
  assertBearer(answer)
  readKind(answer)
  assertNoHash(answer)
}

function assertRuled(payload: JsonObject, rule: ClaimPatterns): void {
  const unmatched = findUnmatchedClaim(payload, rule)
  if (unmatched !== undefined) throw new TokenError(`${unmatched} is not that of an access token of this issuer`)
}

const ID_TOKEN = 'an ID token is not an access token'

function assertNoHash(payload: JsonObject): void {
  if (HASHES.some(name => payload[name] !== undefined)) throw new TokenError(ID_TOKEN)
}

/** @returns whether it says to be an access token @throws TokenError if it says another kind */
function readKind(payload: JsonObject): boolean {
  let isNamed = false
  for (const [name, values] of Object.entries(KIND_CLAIMS)) {
    const value = payload[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || !values.includes(value.toLowerCase()))
      throw new TokenError(`${name} is of another token`)
    isNamed ||= value.toLowerCase() !== 'jwt'
  }
  return isNamed
}

// The client of an ID token is its audience, if it is named at all.
function hasEvidence(payload: JsonObject): boolean {
  if (ACCESS_CLAIMS.some(name => payload[name] !== undefined)) return true
  const client = findClient(payload)
  const audiences: readonly unknown[] = Array.isArray(payload['aud']) ? payload['aud'] : [payload['aud']]
  return client === undefined ? audiences.every(isServer) : !audiences.includes(client)
}

/** Whether an audience is the URL of a server (RFC 8707), and so not the id of a client. */
const isServer = (audience: unknown) => typeof audience === 'string' && /^[a-z]+:\/\//.test(audience)

/** RFC 9068; OpenID Connect, Keycloak, Auth0 and Entra 2.0; Entra 1.0; Okta. */
export const findClient = ({ client_id, azp, appid, cid }: JsonObject): unknown => client_id ?? azp ?? appid ?? cid
