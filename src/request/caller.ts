// Checks the caller that an app or its own door names: types do not hold at run time.
import type { Caller } from './exchange.ts'

/**
 * @throws TypeError if the subject is missing, since such callers would share one owner; or if the
 *   scopes are one text
 */
export function readCaller(caller: unknown): Caller | undefined {
  if (caller === undefined || caller === null) return undefined
  if (isCaller(caller)) return caller
  throw new TypeError("caller: expected an object such as { subject: 'ann', scopes: ['prices:read'] }")
}

export function isCaller(value: unknown): value is Caller {
  if (typeof value !== 'object' || value === null) return false
  const { subject, scopes, issuer, clientId, claims, expiresAtMs } = value as Partial<Caller>
  return (
    isName(subject) &&
    Array.isArray(scopes) &&
    scopes.every(scope => typeof scope === 'string') &&
    [issuer, clientId].every(name => name === undefined || isName(name)) &&
    (claims === undefined || (typeof claims === 'object' && claims !== null)) &&
    (expiresAtMs === undefined || typeof expiresAtMs === 'number')
  )
}

const isName = (value: unknown) => typeof value === 'string' && value !== ''
