// Which claims of the upstream ID token go into access tokens, and under which names?
import { splitList } from '../readers.ts'
import type { Claims } from './rules.ts'

/** From the name in the access token to the name in the ID token. */
export type ClaimMapping = ReadonlyMap<string, string>

/** A token is in each request, and Node limits headers to 16 KiB. */
export const MAX_CLAIM_BYTES = 4096

/** They name the issuer, the subject and the audience. */
const RESERVED = new Set(
  'iss sub aud exp iat nbf jti scope scp client_id azp appid act may_act cnf authorization_details at_hash c_hash nonce'.split(
    ' ',
  ),
)

/**
 * `email,tenant=tid,groups=cognito:groups`
 *
 * @throws Error naming the expected value
 */
export function parseClaims(text: string): ClaimMapping {
  const mapping = new Map<string, string>()
  for (const each of splitList(text)) {
    const [, name, source = name] = /^([^=\s]+)(?:=(\S+))?$/.exec(each) ?? []
    if (name === undefined || source === undefined)
      throw new Error(`expected a claim, or name=claim, not ${JSON.stringify(each)}`)
    if (RESERVED.has(name)) throw new Error(`expected another name than ${name}, which a token needs for itself`)
    mapping.set(name, source)
  }
  return mapping
}

/** @throws Error if the claims are too large for a token */
export function mapClaims(claims: Claims, mapping: ClaimMapping): Record<string, unknown> {
  const present = [...mapping].filter(([, source]) => Object.hasOwn(claims, source))
  const mapped = Object.fromEntries(present.map(([name, source]) => [name, claims[source]]))
  const bytes = Buffer.byteLength(JSON.stringify(mapped))
  if (bytes > MAX_CLAIM_BYTES)
    throw new Error(`the claims of this user take ${bytes} bytes, and a token has room for ${MAX_CLAIM_BYTES}`)
  return mapped
}
