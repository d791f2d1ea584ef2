// Checks whom an app, or a door of its own, names as the caller: no type holds where it runs.
import type { Caller } from './exchange.ts'

/** @throws TypeError: callers without a subject would all be one owner, and a text of scopes has many in it */
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
