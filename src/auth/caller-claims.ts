// The claims that a caller has beside its identity: which of the token's, by which names, and the
// bounds of those that tools, tasks and child processes get.
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { TokenError } from './token.ts'

/** Maps each name in `ctx.caller.claims` to the claim of the token. */
export type ClaimNames = Readonly<Record<string, string>>

/** Most claims of a caller. */
export const MAX_CLAIMS = 32
/** All claims of a caller together, characters of JSON: as much as a header can have. */
export const MAX_CLAIMS_LENGTH = 16 * 1024

const MAX_NAME_LENGTH = 128

/** Parses `tenant=tid,email`: `tid` becomes `tenant`, and `email` keeps its name. @throws Error */
export const parseClaimNames = (text: string): ClaimNames => assertClaimNames(parsePairs(text, name => name))

/**
 * Parses `a=b,c`.
 *
 * @param complete the value of a name that stands alone
 * @throws Error
 */
export function parsePairs(text: string, complete: (name: string) => string): Record<string, string> {
  const entries = text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
    .map(entry => {
      const at = entry.indexOf('=')
      return at < 0 ? [entry, complete(entry)] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
    })
  const pairs: Record<string, string> = Object.fromEntries(entries)
  if (Object.keys(pairs).length < entries.length) throw new Error('expected each name once')
  return pairs
}

/** @throws Error */
export function assertClaimNames(names: unknown): ClaimNames {
  const entries = isObject(names) ? Object.entries(names) : []
  if (entries.length === 0 || entries.length > MAX_CLAIMS || !entries.flat().every(isClaimName))
    throw new Error('expected names of claims, separated by commas, such as tenant=tid,email')
  // Read as a member, such a name has a value also if the token has no such claim.
  const inherited = entries.find(([name]) => name in Object.prototype)
  if (inherited !== undefined) throw new Error(`expected another name than ${inherited[0]}`)
  return Object.freeze({ ...(names as ClaimNames) })
}

// Tokens name claims by words, URLs (RFC 7519, 4.2), or with a prefix, such as cognito:groups.
export const isClaimName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name.length <= MAX_NAME_LENGTH &&
  /^[\x21\x23-\x2b\x2d-\x3c\x3e-\x5b\x5d-\x7e]+$/.test(name)

/**
 * Checks claims and freezes them in depth. A claim that was left out instead would be taken for
 * one that the caller does not have, and rules may allow more without it.
 *
 * @param claims JSON, by the names that tools see
 * @throws TokenError
 */
export function freezeClaims(claims: JsonObject): Readonly<JsonObject> {
  let length = 0
  for (const [name, value] of Object.entries(claims)) {
    if (!freezeWhole(value)) throw new TokenError(`the claim ${name} has characters or keys that are not allowed`)
    length += JSON.stringify(value).length
    if (length > MAX_CLAIMS_LENGTH)
      throw new TokenError(`the claims up to ${name} are longer than ${MAX_CLAIMS_LENGTH} characters`)
  }
  return Object.freeze(claims)
}

// Tools copy claims into objects of their own, where such a key would replace the prototype.
const isSafeKey = (key: string) => key !== '__proto__' && isWholeText(key)

function freezeWhole(value: unknown): boolean {
  if (typeof value === 'string') return isWholeText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  Object.freeze(value)
  return (Array.isArray(value) || Object.keys(value).every(isSafeKey)) && Object.values(value).every(freezeWhole)
}

// Encoders replace lone surrogates with U+FFFD, so two values could become equal.
const isWholeText = (text: string): boolean => text.isWellFormed() && !text.includes('\ufffd')

const MAX_TEXT_LENGTH = 512

/** Whether it can be a subject, a client or an issuer. */
export const isClaimText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH && isWholeText(value)

/** Why `isClaimText` says no, for a sentence that begins with the claim. */
export function explainNoClaimText(value: unknown): string {
  if (value === undefined || value === null) return 'is missing'
  if (typeof value !== 'string') return 'is not a text'
  if (value === '') return 'is empty'
  if (value.length > MAX_TEXT_LENGTH) return `is longer than ${MAX_TEXT_LENGTH} characters`
  return 'has characters that are not allowed'
}
