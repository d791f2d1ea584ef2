// Picks claims of a token by name or path.
import type { JsonObject } from 'toolrack'
import { type ClaimNames, freezeClaims } from 'toolrack/access'
import { isObject } from 'toolrack/protocol'

/**
 * Finds a claim by its name, else by its path: `realm_access.roles`. Names of members may contain
 * dots themselves; the longest one counts.
 */
export function findClaim(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const head = name.slice(0, dot)
    const inner = Object.hasOwn(claims, head) ? claims[head] : undefined
    const found = isObject(inner) ? findClaim(inner, name.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** A claim that the token lacks, or has as null, is absent. @throws TokenError */
export function selectClaims(payload: JsonObject, names: ClaimNames): Readonly<JsonObject> {
  const claims: JsonObject = {}
  for (const [name, claim] of Object.entries(names)) {
    const value = findClaim(payload, claim)
    if (value !== undefined && value !== null) claims[name] = value
  }
  return freezeClaims(claims)
}
