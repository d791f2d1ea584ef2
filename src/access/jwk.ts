// A set of keys as an issuer publishes it → those that tokens may be verified with, and why the others are left out.
// A key that names its algorithm is used with that one only; without `alg`, which is optional, with those of its type and
// never an HMAC. RFC 7517, 4; RFC 7518, 3.1 and 6; RFC 8725, 3.1.
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Algorithm, VerificationKey } from './keys.ts'

const MIN_RSA_BITS = 2048
const MIN_RSA_EXPONENT = 3n
/** RSA up to here costs about what a key on P-256 does; beyond, the square of the length. */
const CHEAP_RSA_BITS = 4096

/** A key of an issuer that is used. */
export interface PublishedKey extends VerificationKey {
  /** Undefined for a key without one, which serves tokens that name none. */
  readonly kid: string | undefined
}

/** A key of an issuer that is not used. */
export interface IgnoredKey {
  readonly kid: unknown
  readonly kty: unknown
  readonly reason: string
  /** Whether it says itself that it is not for signatures: nobody misses it. */
  readonly isForOtherUse: boolean
}

export interface ReadKeys {
  readonly keys: readonly PublishedKey[]
  readonly ignored: readonly IgnoredKey[]
}

interface KeyType {
  readonly algorithms: readonly Algorithm[]
  /** Of one signature, where that of RSA with 2048 bits is 1. */
  readonly cost: number
}

const RSA: readonly Algorithm[] = Object.freeze(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
const CURVES: Readonly<Record<string, Readonly<Record<string, KeyType>>>> = Object.freeze({
  EC: {
    'P-256': { algorithms: ['ES256'], cost: 1 },
    'P-384': { algorithms: ['ES384'], cost: 5 },
    'P-521': { algorithms: ['ES512'], cost: 10 },
  },
  OKP: { Ed25519: { algorithms: ['EdDSA'], cost: 1 } },
})

/** Every algorithm that a key of an issuer may be used with. */
export const KEY_ALGORITHMS: readonly Algorithm[] = Object.freeze([
  ...RSA,
  ...Object.values(CURVES).flatMap(curves => Object.values(curves).flatMap(({ algorithms }) => algorithms)),
])

/** Why a key is not used. */
class Unusable extends Error {}
/** It is meant for something else than signatures. */
class ForOtherUse extends Unusable {}

export function readKeys(jwks: readonly JWK[]): ReadKeys {
  const uses = new Map<unknown, number>()
  for (const { kid } of jwks) uses.set(kid, (uses.get(kid) ?? 0) + 1)
  const keys: PublishedKey[] = []
  const ignored: IgnoredKey[] = []
  for (const jwk of jwks) {
    try {
      keys.push(readKey(jwk, jwk.kid !== undefined && uses.get(jwk.kid)! > 1))
    } catch (error) {
      const reason = error instanceof Unusable ? error.message : 'it is no valid key'
      ignored.push({ kid: jwk.kid, kty: jwk.kty, reason, isForOtherUse: error instanceof ForOtherUse })
    }
  }
  return { keys, ignored }
}

/** @throws Unusable, or what createPublicKey throws */
function readKey(jwk: JWK, isKidTaken: boolean): PublishedKey {
  assertForSignatures(jwk)
  const { kid } = jwk
  if (kid !== undefined && typeof kid !== 'string') throw new Unusable('its kid is no text')
  // Which of the two a token means, nobody can say.
  if (isKidTaken) throw new Unusable('another key has its kid')
  // A key whose private half is published signs for everybody.
  if (jwk.d !== undefined) throw new Unusable('its private half is published')
  const allowed = algorithmsFor(jwk)
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const cost = jwk.kty === 'RSA' ? costOfRsa(key) : curveOf(jwk).cost
  return { kid, algorithms: allowed, key: key.export({ type: 'spki', format: 'pem' }) as string, cost }
}

// From the network: of any type, whatever its type says.
function assertForSignatures({ use, key_ops: operations }: JWK): void {
  if (use !== undefined && use !== 'sig') throw new ForOtherUse(`its use is ${shown(use)}, not sig`)
  if (operations === undefined) return
  if (!Array.isArray(operations) || !operations.includes('verify')) throw new ForOtherUse('its key_ops has no verify')
}

/** @throws Unusable */
function algorithmsFor(jwk: JWK): readonly Algorithm[] {
  const { kty, alg } = jwk
  if (kty === 'oct') throw new Unusable('it is a shared secret (oct)')
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') throw new Unusable('its kty is not RSA, EC or OKP')
  const algorithms = kty === 'RSA' ? RSA : curveOf(jwk).algorithms
  if (alg === undefined) return algorithms
  const named = algorithms.filter(algorithm => algorithm === alg)
  if (named.length === 0) throw new Unusable(`its alg ${shown(alg)} is not allowed for its type`)
  return named
}

/** @throws Unusable */
function curveOf({ kty, crv }: JWK): KeyType {
  const curves = CURVES[String(kty)]!
  const curve = typeof crv === 'string' && Object.hasOwn(curves, crv) ? curves[crv] : undefined
  if (curve === undefined) throw new Unusable(`its crv ${shown(crv)} is not one of ${Object.keys(curves).join(', ')}`)
  return curve
}

/** @throws Unusable where it is too weak */
function costOfRsa({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): number {
  if (modulusLength < MIN_RSA_BITS) throw new Unusable(`RSA of ${modulusLength} bits; at least ${MIN_RSA_BITS}`)
  if (publicExponent < MIN_RSA_EXPONENT) throw new Unusable(`its public exponent is below ${MIN_RSA_EXPONENT}`)
  return Math.max(1, Math.round((modulusLength / CHEAP_RSA_BITS) ** 2))
}

const MAX_SHOWN = 24
const shown = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_SHOWN) : `of type ${typeof value}`)
