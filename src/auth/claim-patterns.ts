// The claims that a token must have, and the values that count: texts, in which `*` stands for any
// characters and `?` for one.
import { isObject } from '../protocol/messages.ts'
import { isUnmatchable } from '../text/unmatchable.ts'
import { isClaimName, MAX_CLAIMS, parsePairs } from './caller-claims.ts'

/** Maps each claim to its patterns; one of them has to match. */
export type ClaimPatterns = Readonly<Record<string, readonly string[]>>

const MAX_PATTERNS = 100
const MAX_PATTERN_LENGTH = 512

const EXPECTED = 'expected claims with values, such as repository_owner=acme|acme-labs,ref=refs/heads/*'

/** Reads `repository_owner=acme|acme-labs,ref=refs/heads/*`, or an object of texts and lists. @throws Error */
export function readClaimPatterns(value: unknown): ClaimPatterns {
  const patterns = readPatterns(value)
  assertNotOpen(Object.entries(patterns))
  return patterns
}

/** Claims that every token has. */
const COMMON_CLAIMS = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf'])

/** The same for what tells access tokens from others: `*` says that the claim is there. @throws Error */
export function readTellingPatterns(value: unknown): ClaimPatterns {
  const patterns = readPatterns(value)
  assertNotOpen(Object.entries(patterns).filter(([name]) => COMMON_CLAIMS.has(name)))
  return patterns
}

function assertNotOpen(entries: readonly (readonly [string, readonly string[]])[]): void {
  const open = entries.find(([, list]) => list.some(pattern => /^[*?]+$/.test(pattern)))
  if (open !== undefined) throw new Error(`expected values of ${open[0]}, since * alone would match all`)
}

function readPatterns(value: unknown): ClaimPatterns {
  const patterns = typeof value === 'string' ? parsePatterns(value) : value
  const entries = isObject(patterns) ? Object.entries(patterns) : []
  const lists = entries.map(([name, value]) => [name, Array.isArray(value) ? value : [value]] as const)
  if (
    lists.length === 0 ||
    lists.length > MAX_CLAIMS ||
    !lists.every(([name, list]) => isClaimName(name) && areFit(list))
  )
    throw new Error(EXPECTED)
  return Object.freeze(Object.fromEntries(lists.map(([name, list]) => [name, Object.freeze([...list])])))
}

function parsePatterns(text: string): object {
  const pairs = parsePairs(text, () => {
    throw new Error(EXPECTED)
  })
  const lists = Object.entries(pairs).map(([name, value]) => [name, value.split('|')] as const)
  if (lists.some(([, list]) => list.some(isUnmatchable)))
    throw new Error(`${EXPECTED}, without quotes, brackets or a comment`)
  return Object.fromEntries(lists)
}

const areFit = (list: readonly unknown[]): list is readonly string[] =>
  list.length > 0 &&
  list.length <= MAX_PATTERNS &&
  list.every(
    pattern =>
      typeof pattern === 'string' && pattern !== '' && pattern.length <= MAX_PATTERN_LENGTH && !/\p{Cc}/u.test(pattern),
  )
