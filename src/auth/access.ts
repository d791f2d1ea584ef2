// The one check that every door passes: whether a caller has all scopes of what it asks for.
// Specification 2026-07-28: basic/authorization, "Runtime Insufficient Scope Errors".
import { McpError } from '../protocol/errors.ts'
import type { Caller } from '../request/exchange.ts'
import { type Hierarchy, SCOPE_TOKEN, satisfies } from './scopes.ts'

// `WWW-Authenticate`: what a client needs to get a token that is accepted. RFC 6750, 3; RFC 9728, 5.1.
// Specification 2026-07-28: basic/authorization, "Error Handling".

export interface Challenge {
  /** Only where a token was sent. */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  /** All that the operation needs. */
  readonly scopes?: readonly string[]
}

/** Longest list of scopes, characters: a client that finds the headers too long learns nothing at all. */
const MAX_SCOPE = 4096

/** @param metadataUrl undefined if there is none: then it has a realm, since RFC 6750 wants a parameter */
export function formatChallenge(
  metadataUrl: string | undefined,
  { error, description, scopes = [] }: Challenge,
): string {
  // They are checked when a tool is registered; this is the second lock on the header.
  const scope = scopes.filter(scope => SCOPE_TOKEN.test(scope)).join(' ')
  const parameters = [
    error && `error="${error}"`,
    error && description && `error_description="${toQuotable(description)}"`,
    metadataUrl === undefined ? 'realm="toolrack"' : `resource_metadata="${metadataUrl}"`,
    scope.length > 0 && scope.length <= MAX_SCOPE && `scope="${scope}"`,
  ]
  return `Bearer ${parameters.filter(Boolean).join(', ')}`
}

const toQuotable = (text: string) => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')

export interface AccessRules {
  readonly hierarchy: Hierarchy | undefined
  /** Where a client learns how to get a token (RFC 9728); undefined if there is no such place. */
  readonly metadataUrl: string | undefined
  /** A refused call is a result with `isError`, for clients to which 403 is fatal. */
  readonly deniesByResult: boolean
}

export class Access {
  readonly #rules: AccessRules

  constructor(rules: AccessRules) {
    this.#rules = rules
  }

  get deniesByResult(): boolean {
    return this.#rules.deniesByResult
  }

  /** Where nobody is verified, nothing is closed. */
  may(caller: Caller | undefined, scopes: readonly string[]): boolean {
    if (caller === undefined) return true
    return scopes.every(scope => satisfies(caller.scopes, scope, this.#rules.hierarchy))
  }

  /** @throws McpError INSUFFICIENT_SCOPE (403) naming all scopes that are needed, and where to get them */
  assertMay(
    caller: Caller | undefined,
    { scopes, key }: { readonly scopes: readonly string[]; readonly key: string },
  ): void {
    if (this.may(caller, scopes)) return
    const description = `${key} needs ${scopes.join(' ')}`
    const challenge = formatChallenge(this.#rules.metadataUrl, { error: 'insufficient_scope', description, scopes })
    throw new McpError('INSUFFICIENT_SCOPE', description, { challenge })
  }
}
