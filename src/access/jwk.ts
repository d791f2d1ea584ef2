// A set of keys as an issuer publishes it → those that tokens may be verified with: signing keys with an algorithm and
// an id of their own, strong enough. What is none is left out, whatever it looks like. RFC 7517; RFC 7518, 6.
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Algorithm, VerificationKey } from './keys.ts'

const MIN_RSA_BITS = 2048
const MIN_RSA_EXPONENT = 3n

const KINDS: Readonly<Record<string, { kty: string; crv?: string }>> = Object.freeze({
  RS256: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
})

/** By key id; an id that two keys have names neither. */
export function usableKeys(jwks: readonly JWK[]): ReadonlyMap<string, VerificationKey> {
  const uses = new Map<unknown, number>()
  for (const { kid } of jwks) uses.set(kid, (uses.get(kid) ?? 0) + 1)
  const usable = new Map<string, VerificationKey>()
  for (const jwk of jwks) {
    const key = typeof jwk.kid === 'string' && uses.get(jwk.kid) === 1 ? keyOf(jwk) : undefined
    if (key !== undefined) usable.set(jwk.kid!, key)
  }
  return usable
}

function keyOf(jwk: JWK): VerificationKey | undefined {
  const kind = typeof jwk.alg === 'string' && Object.hasOwn(KINDS, jwk.alg) ? KINDS[jwk.alg] : undefined
  if (kind === undefined || jwk.kty !== kind.kty || (kind.crv !== undefined && jwk.crv !== kind.crv)) return undefined
  // A key whose private half is published signs for everybody.
  if (!isForSignatures(jwk) || jwk.d !== undefined) return undefined
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    if (kind.kty === 'RSA' && !isStrongRsa(key)) return undefined
    return { algorithm: jwk.alg as Algorithm, key: key.export({ type: 'spki', format: 'pem' }) as string }
  } catch {
    return undefined // no key at all
  }
}

// From the network: of any type, whatever its type says.
function isForSignatures({ use = 'sig', key_ops: operations = ['verify'] }: JWK): boolean {
  return use === 'sig' && Array.isArray(operations) && operations.includes('verify')
}

function isStrongRsa({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): boolean {
  return modulusLength >= MIN_RSA_BITS && publicExponent >= MIN_RSA_EXPONENT
}
