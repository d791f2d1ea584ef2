// Which claims of a token grant scopes, and the names that scopes have at the authorization server.
// RFC 9068, 2.2.3; RFC 8693, 4.2.
import { isObject } from '../protocol/messages.ts'
import { isClaimName, MAX_CLAIMS, parsePairs } from './caller-claims.ts'
import { SCOPE_TOKEN } from './scopes.ts'

/** Maps each claim to the prefix of its values: `roles` to `role:`. */
export type ScopeClaims = Readonly<Record<string, string>>

/** Parses `scope,scp,roles=role:`. @throws Error */
export const parseScopeClaims = (text: string): ScopeClaims => assertScopeClaims(parsePairs(text, () => ''))

/** @throws Error */
export function assertScopeClaims(claims: unknown): ScopeClaims {
  const entries = isObject(claims) ? Object.entries(claims) : []
  const isFit = entries.every(([name, prefix]) => isClaimName(name) && (prefix === '' || isScope(prefix)))
  if (!isFit || entries.length === 0 || entries.length > MAX_CLAIMS)
    throw new Error('expected claims, separated by commas, with a prefix after an equals sign: scope,roles=role:')
  const prefixes = entries.map(([, prefix]) => prefix as string).filter(prefix => prefix !== '')
  // With `r:` and `r:g:`, the role `g:admin` would be the group `admin`.
  const mixed = prefixes.find(prefix => prefixes.some(other => other !== prefix && other.startsWith(prefix)))
  if (mixed !== undefined) throw new Error(`expected prefixes of which none begins with another; ${mixed} does`)
  return Object.freeze({ ...(claims as ScopeClaims) })
}

export const isScope = (value: unknown): value is string => typeof value === 'string' && SCOPE_TOKEN.test(value)
