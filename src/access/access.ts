// The one check that every door passes: whether a caller has all scopes of what it asks for.
// Specification 2026-07-28: basic/authorization, "Runtime Insufficient Scope Errors".
import type { Caller } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import { type Hierarchy, satisfies } from '../scopes.ts'
import { challengeOf } from './challenge.ts'

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
    const challenge = challengeOf(this.#rules.metadataUrl, { error: 'insufficient_scope', description, scopes })
    throw new McpError('INSUFFICIENT_SCOPE', description, { challenge })
  }
}
