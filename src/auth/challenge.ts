// Builds `WWW-Authenticate`. RFC 6750, 3; RFC 9728, 5.1. Spec 2026-07-28: basic/authorization,
// "Error Handling".
import { SCOPE_TOKEN } from './scopes.ts'

export interface Challenge {
  /** Only if the client sent a token. */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  readonly scopes?: readonly string[]
}

/** Maximum length of the scope list, characters: clients reject overlong headers. */
const MAX_SCOPE = 4096

/** @param metadataUrl undefined: sends a realm, since RFC 6750 requires a parameter */
export function formatChallenge(
  metadataUrl: string | undefined,
  { error, description, scopes = [] }: Challenge,
): string {
  // Registration validates them too; this protects the header.
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
