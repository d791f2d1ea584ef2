// Finds the claim of a token that does not have a value that counts.
import type { JsonObject } from 'toolrack'
import type { ClaimPatterns } from 'toolrack/access'
import { findClaim } from './select-claims.ts'

/** Longer values match nothing. */
const MAX_VALUE_LENGTH = 4096

/** The first claim that is missing or has another value. Of a list, one value has to match. */
export function findUnmatchedClaim(payload: JsonObject, patterns: ClaimPatterns): string | undefined {
  return Object.keys(patterns).find(name => {
    const value = findClaim(payload, name)
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return !values.some(each => isPlain(each) && patterns[name]!.some(pattern => matches(String(each), pattern)))
  })
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Goes back to the last `*` only, so that no pattern takes long. */
function matches(value: string, pattern: string): boolean {
  if (value.length > MAX_VALUE_LENGTH) return false
  let [at, next, star, starAt] = [0, 0, -1, 0]
  while (at < value.length) {
    if (pattern[next] === '*') [star, starAt] = [next++, at]
    else if (pattern[next] === '?' || pattern[next] === value[at]) [next, at] = [next + 1, at + 1]
    else if (star < 0) return false
    else [next, at] = [star + 1, ++starAt]
  }
  return /^\**$/.test(pattern.slice(next))
}
