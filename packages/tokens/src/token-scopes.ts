// The scopes that a token grants, and the names that scopes have at the authorization server.
// RFC 9068, 2.2.3; RFC 8693, 4.2.
import type { JsonObject } from 'toolrack'
import { isScope, type ScopeClaims, TokenError } from 'toolrack/access'
import { findClaim } from './select-claims.ts'

export interface ScopeRules {
  /** Undefined: `scope`, or else `scp`. */
  readonly claims?: ScopeClaims | undefined
  /** What the authorization server puts before the scopes of this server: `api://GUID/`. */
  readonly prefix?: string | undefined
}

/** Ignores values that cannot be scopes. @throws TokenError if a claim is neither text nor texts */
export function readScopes(payload: JsonObject, { claims, prefix }: ScopeRules): readonly string[] {
  const granted =
    claims === undefined
      ? readWords(payload['scope'] ?? payload['scp'], 'scope').map(word => withoutPrefix(word, prefix))
      : Object.entries(claims).flatMap(([claim, before]) => {
          const value = findClaim(payload, claim)
          // A name with spaces is one name: its words are not roles.
          if (before !== '')
            return readTexts(value, claim)
              .filter(isScope)
              .map(role => `${before}${role}`)
          const scopes = readWords(value, claim).map(word => withoutPrefix(word, prefix))
          return scopes.filter(scope => !isFromRole(scope, claims))
        })
  return Object.freeze([...new Set(granted.filter(isScope))])
}

function readTexts(value: unknown, claim: string): readonly string[] {
  const texts = Array.isArray(value) ? value : [value ?? []].flat()
  if (!texts.every(text => typeof text === 'string')) throw new TokenError(`${claim} is not text`)
  return texts
}

const readWords = (value: unknown, claim: string) =>
  typeof value === 'string' ? value.split(' ') : readTexts(value, claim)

const withoutPrefix = (word: string, prefix: string | undefined) =>
  prefix !== undefined && word.startsWith(prefix) ? word.slice(prefix.length) : word

/** Whether only a claim with a prefix may grant it. A client could ask for a scope of this name. */
const isFromRole = (scope: string, claims: ScopeClaims) =>
  Object.values(claims).some(prefix => prefix !== '' && scope.startsWith(prefix))

/** Scopes of OpenID Connect Core, 5.4 and 11, which belong to no resource. */
const OF_OPENID = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])

/**
 * The scopes that a client has to ask the authorization server for, by their names there. Roles are
 * left out, since they are not asked for: an authorization server may refuse all for one unknown
 * scope.
 */
export function toClientScopes(scopes: readonly string[], { claims = {}, prefix }: ScopeRules): readonly string[] {
  const isForeign = (scope: string) => OF_OPENID.has(scope) || scope.includes('://')
  const asked = scopes.filter(scope => !isFromRole(scope, claims))
  return prefix === undefined ? asked : asked.map(scope => (isForeign(scope) ? scope : `${prefix}${scope}`))
}
