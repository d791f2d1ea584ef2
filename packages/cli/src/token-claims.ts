// The claims of a token for development, from `--claim` and `--scope`.
import type { ClaimNames, JsonObject } from 'toolrack'
import { isClaimName, SCOPE_TOKEN, type ScopeClaims, TokenError } from 'toolrack/access'
import { selectClaims } from 'toolrack/tokens'
import { readClaimOptions } from './credential-options.ts'
import { UsageError } from './errors.ts'

/** Claims that have their own option, or are computed. */
const OWN = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'client_id', '__proto__'])

/**
 * Reads the options of `--claim`.
 *
 * @param names of JWT_CLAIMS: maps the name for tools to the claim of the token
 * @throws UsageError
 */
export function readTokenClaims(options: readonly string[], names: ClaimNames = {}): JsonObject {
  const claims: JsonObject = {}
  for (const [name, value] of readClaimOptions(options)) {
    const claim = Object.hasOwn(names, name) ? names[name]! : name
    if (!isClaimName(claim)) throw new UsageError('--claim: expected a name and a value, such as tenant=acme')
    if (OWN.has(claim)) throw new UsageError(`--claim: ${claim} cannot be set by it; see toolrack token --help`)
    if (Object.hasOwn(claims, claim)) throw new UsageError(`--claim: expected ${name} once`)
    claims[claim] = value
  }
  assertSelectable(claims, names)
  return claims
}

// The server would refuse the token.
function assertSelectable(claims: JsonObject, names: ClaimNames): void {
  try {
    selectClaims(claims, names)
  } catch (error) {
    throw error instanceof TokenError ? new UsageError(`--claim: ${error.message}`) : error
  }
}

/**
 * Puts each scope into the claim that grants it: `role:admin` into `roles`, with
 * JWT_SCOPE_CLAIMS=scope,roles=role:.
 *
 * @throws UsageError
 */
export function toScopeClaims(text: string, granting: ScopeClaims = { scope: '' }): JsonObject {
  const scopes = text.split(' ').filter(scope => scope !== '')
  if (!scopes.every(scope => SCOPE_TOKEN.test(scope)))
    throw new UsageError('--scope: expected scopes, separated by spaces')
  const claims: Record<string, string[]> = {}
  for (const scope of scopes) {
    const prefixed = Object.entries(granting).find(([, prefix]) => prefix !== '' && scope.startsWith(prefix))
    const [claim, prefix] = prefixed ?? Object.entries(granting).find(([, each]) => each === '') ?? []
    if (claim === undefined)
      throw new UsageError(
        `--scope: no claim of JWT_SCOPE_CLAIMS grants ${scope}; expected one without a prefix, or a scope with it`,
      )
    claims[claim] = [...(claims[claim] ?? []), scope.slice(prefix!.length)]
  }
  return Object.fromEntries(
    Object.entries(claims).map(([claim, values]) => [claim, granting[claim] === '' ? values.join(' ') : values]),
  )
}
