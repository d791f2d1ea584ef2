// Which users may sign in, and which scopes may a user get? Rules over the claims of the upstream ID
// token.
import { splitList } from '../readers.ts'

export type Claims = Readonly<Record<string, unknown>>

interface Rule {
  readonly claim: string
  /** `*` means any value that is not empty; `*@example.com` means every address of that domain. */
  readonly value: string
}

/** One of them must hold. */
export type UserRules = readonly Rule[]

/** By scope. A scope without rules is for every user who may sign in. */
export type ScopeRules = ReadonlyMap<string, readonly Rule[]>

const MAX_SUBJECT_LENGTH = 255
const EVERYBODY: Rule = { claim: 'sub', value: '*' }

function parseRule(text: string): Rule {
  const [, claim, value] = /^([^=\s]+)=(.+)$/.exec(text) ?? []
  if (claim === undefined || value === undefined) throw new Error(`expected claim=value, not ${JSON.stringify(text)}`)
  return { claim, value }
}

/**
 * `hd=example.com,groups=GUID,email=*@example.com`; `*` is everybody whom the provider signs in.
 *
 * @throws Error naming the expected value
 */
export function parseUserRules(text: string): UserRules {
  const all = splitList(text)
  if (all.length === 0) throw new Error('expected rules such as hd=example.com, or * for every user of the provider')
  return all.map(each => (each === '*' ? EVERYBODY : parseRule(each)))
}

/**
 * `prices:read,prices:write?roles=Writer`. If a scope is named twice, one of its rules must hold.
 *
 * @throws Error naming the expected value
 */
export function parseScopes(text: string): ScopeRules {
  const scopes = new Map<string, readonly Rule[]>()
  for (const each of splitList(text)) {
    const [scope = '', ...rest] = each.split('?')
    if (!/^[\x21\x23-\x3e\x40-\x5b\x5d-\x7e]+$/.test(scope) || scope === 'openid' || scope === 'offline_access')
      throw new Error(`expected scopes of the server, such as prices:read, not ${JSON.stringify(scope)}`)
    scopes.set(scope, [...(scopes.get(scope) ?? []), ...(rest.length === 0 ? [] : [parseRule(rest.join('?'))])])
  }
  if (scopes.size === 0) throw new Error('expected scopes, separated by commas')
  return scopes
}

export const isAllowed = (claims: Claims, rules: UserRules): boolean => rules.some(rule => holds(claims, rule))

/** The requested scopes that this user may have. */
export function grantable(claims: Claims, asked: Iterable<string>, rules: ScopeRules): string[] {
  return [...asked].filter(scope => {
    const needed = rules.get(scope)
    return needed !== undefined && (needed.length === 0 || isAllowed(claims, needed))
  })
}

/** Whether the address is unverified, so that its user may have typed any. Entra verifies none. */
const isOnlyTyped = (claims: Claims, claim: string) => claim === 'email' && String(claims['email_verified']) !== 'true'

/** @returns undefined if the claim does not identify the user */
export function readSubject(claims: Claims, claim: string): string | undefined {
  const value = Object.hasOwn(claims, claim) && !isOnlyTyped(claims, claim) ? claims[claim] : undefined
  return typeof value === 'string' && value !== '' && value.length <= MAX_SUBJECT_LENGTH ? value : undefined
}

function holds(claims: Claims, { claim, value }: Rule): boolean {
  if (isOnlyTyped(claims, claim)) return false
  const all = [Object.hasOwn(claims, claim) ? claims[claim] : undefined].flat()
  const texts = all.filter(each => ['string', 'number', 'boolean'].includes(typeof each)).map(String)
  if (value === '*') return texts.some(text => text !== '')
  if (claim !== 'email') return texts.includes(value)
  const wanted = value.toLowerCase()
  return texts.some(text => isAddress(text.toLowerCase(), wanted))
}

const isAddress = (text: string, wanted: string) =>
  wanted.startsWith('*@') ? text.slice(text.lastIndexOf('@')) === wanted.slice(1) : text === wanted
