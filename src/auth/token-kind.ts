// Tells access tokens from the other JWTs that an issuer signs with the same keys. ID tokens above
// all: their `aud` is a client, so one would pass where the audience is a client id (Entra).
// RFC 9068, 2.1, 2.2 and 5; RFC 8725, 3.11 and 3.12; OpenID Connect Core 1.0, 2.
import type { JsonObject } from '../protocol/messages.ts'
import { type ParsedToken, TokenError } from './token.ts'

const ACCESS_TYPES = new Set(['at+jwt', 'application/at+jwt'])
const PLAIN_TYPES = new Set(['jwt', 'application/jwt'])

/** Claims by which issuers say what a token is, and the values of access tokens. */
const KIND_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  // Cognito
  token_use: ['access'],
  // Keycloak
  typ: ['bearer', 'dpop', 'jwt', 'at+jwt'],
  // PingAM
  tokenName: ['access_token'],
}
const HASHES = ['at_hash', 'c_hash', 's_hash']
/** What only access tokens have; the last two are of Entra. */
const ACCESS_CLAIMS = ['scope', 'scp', 'azpacr', 'appidacr']

/** @throws TokenError */
export function assertAccessToken({ header: { typ }, payload }: ParsedToken, needsEvidence: boolean): void {
  const type = typ?.toLowerCase()
  if (type !== undefined && !ACCESS_TYPES.has(type) && !PLAIN_TYPES.has(type))
    throw new TokenError('typ is of another token')
  const kind = readKind(payload)
  if (HASHES.some(name => payload[name] !== undefined)) throw new TokenError(ID_TOKEN)
  if (kind || (type !== undefined && ACCESS_TYPES.has(type))) return
  // Keycloak before version 24 has a nonce in access tokens, too, which it names Bearer.
  if (payload['nonce'] !== undefined) throw new TokenError(ID_TOKEN)
  if (needsEvidence && !hasEvidence(payload))
    throw new TokenError('it names no client, no scopes and no URL as aud (or typ at+jwt), so it may be an ID token')
}

const ID_TOKEN = 'an ID token is no access token'

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
