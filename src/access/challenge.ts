// `WWW-Authenticate`: what a client needs to get a token that is accepted. RFC 6750, 3; RFC 9728, 5.1.
// Specification 2026-07-28: basic/authorization, "Error Handling".
import { SCOPE } from '../scopes.ts'

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
export function challengeOf(metadataUrl: string | undefined, { error, description, scopes = [] }: Challenge): string {
  // They are checked when a tool is registered; this is the second lock on the header.
  const scope = scopes.filter(scope => SCOPE.test(scope)).join(' ')
  const parameters = [
    error && `error="${error}"`,
    error && description && `error_description="${quotable(description)}"`,
    metadataUrl === undefined ? 'realm="toolrack"' : `resource_metadata="${metadataUrl}"`,
    scope.length > 0 && scope.length <= MAX_SCOPE && `scope="${scope}"`,
  ]
  return `Bearer ${parameters.filter(Boolean).join(', ')}`
}

const quotable = (text: string) => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')
