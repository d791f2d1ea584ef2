// A claim of the caller as a key of rates, or as the tenant of metrics and audit.
import { hash } from 'node:crypto'
import type { Caller } from './exchange.ts'

/** Longer values are hashed: limiters keep up to 200,000 keys. Characters. */
const MAX_KEY_LENGTH = 256

/** @returns undefined if the caller has no such claim */
export function readClaim(caller: Caller | undefined, name: string): unknown {
  const claims = caller?.claims
  return claims !== undefined && Object.hasOwn(claims, name) ? claims[name] : undefined
}

/** The prefix of keys made from claims that are not strings. */
const LIKE_JSON = /^(?:[[{"]|json:)/

/**
 * The text of a claim, or the JSON of a value that is not a text. Different values have different
 * texts:
 * the number 7 is `json:7`, and a text that looks like JSON is quoted.
 *
 * @returns undefined if the caller has no such claim
 */
export function formatClaim(caller: Caller | undefined, name: string): string | undefined {
  const value = readClaim(caller, name)
  if (value === undefined) return undefined
  if (typeof value === 'string') return LIKE_JSON.test(value) ? JSON.stringify(value) : value
  const json = JSON.stringify(value)
  return LIKE_JSON.test(json) ? json : `json:${json}`
}

/** The key of a client's rates. @param clientKey of the client alone */
export type ToRateKey = (caller: Caller | undefined, clientKey: string) => string

/** @param claim whose value is the key; if either is missing, each client has its own rate */
export function createRateKey(claim: string | undefined): ToRateKey {
  if (claim === undefined) return (_caller, clientKey) => clientKey
  // The keys of clients start with a bracket or `address`, so they never equal the key of a claim.
  return (caller, clientKey) => {
    const value = formatClaim(caller, claim)
    if (value === undefined) return clientKey
    return value.length > MAX_KEY_LENGTH ? `hashed claim ${hash('sha256', value)}` : `claim ${value}`
  }
}
