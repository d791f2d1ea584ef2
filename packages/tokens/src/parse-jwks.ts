// Parses a JWKS into usable keys, and ignored keys with reasons. A key with `alg` serves that
// algorithm only.
// A key without it serves those of its type, but never HMAC. RFC 7517, 4; RFC 7518, 3.1 and 6;
// RFC 8725, 3.1; RFC 9864, 2.2.

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Algorithm } from 'toolrack/access'
import type { VerificationKey } from './keys.ts'

const MIN_RSA_BITS = 2048
const MIN_RSA_EXPONENT = 3n
/**
 * Up to this length, RSA costs about as much as P-256. Beyond, the cost grows with the square of the
 * length.
 */
const CHEAP_RSA_BITS = 4096

export interface PublishedKey extends VerificationKey {
  /** If undefined, the key serves tokens without a key id. */
  readonly kid: string | undefined
}

export interface IgnoredKey {
  readonly kid: unknown
  readonly kty: unknown
  readonly reason: string
  /** The key declares another use, so ignoring it is normal. */
  readonly isForOtherUse: boolean
}

export interface ParsedJwks {
  readonly keys: readonly PublishedKey[]
  readonly ignored: readonly IgnoredKey[]
}

interface KeyType {
  readonly algorithms: readonly Algorithm[]
  readonly cost: number
}

const RSA: readonly Algorithm[] = Object.freeze(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
const CURVES: Readonly<Record<string, Readonly<Record<string, KeyType>>>> = Object.freeze({
  EC: {
    'P-256': { algorithms: ['ES256'], cost: 1 },
    'P-384': { algorithms: ['ES384'], cost: 5 },
    'P-521': { algorithms: ['ES512'], cost: 10 },
  },
  OKP: { Ed25519: { algorithms: ['EdDSA', 'Ed25519'], cost: 1 } },
})

export const KEY_ALGORITHMS: readonly Algorithm[] = Object.freeze([
  ...RSA,
  ...Object.values(CURVES).flatMap(curves => Object.values(curves).flatMap(({ algorithms }) => algorithms)),
])

class UnusableKeyError extends Error {}
class OtherUseError extends UnusableKeyError {}

export interface JwksRules {
  /** Algorithms that keys may sign with; a key for none of them is ignored. */
  readonly algorithms: readonly Algorithm[]
  /** The `use` values of keys that sign tokens; a key without `use` signs them, too. */
  readonly uses: readonly string[]
}

export function parseJwks(jwks: readonly JWK[], rules: JwksRules): ParsedJwks {
  const uses = new Map<unknown, number>()
  for (const { kid } of jwks) uses.set(kid, (uses.get(kid) ?? 0) + 1)
  const keys: PublishedKey[] = []
  const ignored: IgnoredKey[] = []
  for (const jwk of jwks) {
    try {
      keys.push(parseJwk(jwk, rules, jwk.kid !== undefined && uses.get(jwk.kid)! > 1))
    } catch (error) {
      const reason = error instanceof UnusableKeyError ? error.message : 'the key is invalid'
      ignored.push({ kid: jwk.kid, kty: jwk.kty, reason, isForOtherUse: error instanceof OtherUseError })
    }
  }
  return { keys, ignored }
}

/** @throws UnusableKeyError, or an error of createPublicKey */
function parseJwk(jwk: JWK, { algorithms: allowed, uses }: JwksRules, isKidTaken: boolean): PublishedKey {
  assertForSignatures(jwk, uses)
  const { kid } = jwk
  if (kid !== undefined && typeof kid !== 'string') throw new UnusableKeyError('its kid must be a string')
  // A token could mean either key.
  if (isKidTaken) throw new UnusableKeyError('another key has its kid')
  // Anyone can sign with a published private key.
  if (jwk.d !== undefined) throw new UnusableKeyError('its private half is published')
  const algorithms = findAlgorithms(jwk).filter(algorithm => allowed.includes(algorithm))
  if (algorithms.length === 0) throw new UnusableKeyError('JWT_ALGORITHMS has no algorithm of it')
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const cost = jwk.kty === 'RSA' ? computeRsaCost(key) : readCurve(jwk).cost
  return { kid, algorithms, key: key.export({ type: 'spki', format: 'pem' }) as string, cost, issuer: readIssuer(jwk) }
}

function readIssuer({ issuer }: JWK & { issuer?: unknown }): string | undefined {
  if (issuer === undefined || typeof issuer === 'string') return issuer
  throw new UnusableKeyError('its issuer must be a string')
}

// Data from the network may have any type, despite its TypeScript type.
function assertForSignatures({ use, key_ops: operations }: JWK, uses: readonly string[]): void {
  if (use !== undefined && !uses.includes(use))
    throw new OtherUseError(`its use is ${quoteValue(use)}, not ${uses.join(' or ')}`)
  if (operations === undefined) return
  if (!Array.isArray(operations) || !operations.includes('verify')) throw new OtherUseError('its key_ops has no verify')
}

function findAlgorithms(jwk: JWK): readonly Algorithm[] {
  const { kty, alg } = jwk
  if (kty === 'oct') throw new UnusableKeyError('it is a shared secret (oct)')
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') throw new UnusableKeyError('its kty is not RSA, EC or OKP')
  const algorithms = kty === 'RSA' ? RSA : readCurve(jwk).algorithms
  if (alg === undefined) return algorithms
  const named = algorithms.filter(algorithm => algorithm === alg)
  if (named.length === 0) throw new UnusableKeyError(`its alg ${quoteValue(alg)} is not allowed for its type`)
  return named
}

function readCurve({ kty, crv }: JWK): KeyType {
  const curves = CURVES[String(kty)]!
  const curve = typeof crv === 'string' && Object.hasOwn(curves, crv) ? curves[crv] : undefined
  if (curve === undefined)
    throw new UnusableKeyError(`its crv ${quoteValue(crv)} is not one of ${Object.keys(curves).join(', ')}`)
  return curve
}

function computeRsaCost({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): number {
  if (modulusLength < MIN_RSA_BITS) throw new UnusableKeyError(`RSA of ${modulusLength} bits; at least ${MIN_RSA_BITS}`)
  if (publicExponent < MIN_RSA_EXPONENT) throw new UnusableKeyError(`its public exponent is below ${MIN_RSA_EXPONENT}`)
  return Math.max(1, Math.round((modulusLength / CHEAP_RSA_BITS) ** 2))
}

const MAX_SHOWN = 24
const quoteValue = (value: unknown) =>
  typeof value === 'string' ? value.slice(0, MAX_SHOWN) : `of type ${typeof value}`
