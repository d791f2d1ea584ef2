// Credentials: tokens, keys, scopes and ways of access, and requests to issuers.
export type { AccessWay } from '../../src/auth/access-way.ts'
export { API_KEY_ISSUER, API_KEY_PREFIX, isApiKey } from '../../src/auth/api-key.ts'
export { type BoundedFile, dropMark, readBoundedFile } from '../../src/auth/bounded-file.ts'
export {
  assertClaimNames,
  freezeClaims,
  isClaimName,
  MAX_CLAIMS,
  MAX_CLAIMS_LENGTH,
  selectClaims,
} from '../../src/auth/caller-claims.ts'
export { isClaimText, MAX_LIFETIME_S } from '../../src/auth/claims.ts'
export type { IssuerParts, OpenIssuer } from '../../src/auth/create-issuer.ts'
export { ExpiringMap } from '../../src/auth/expiring-map.ts'
export { FileWatch } from '../../src/auth/file-watch.ts'
export type { Asker, IntrospectionSpec, Introspector, IssuerSpec } from '../../src/auth/issuers.ts'
export { type Algorithm, CHECK_MS, type Keys, STARTUP_WAIT_MS, type VerificationKey } from '../../src/auth/keys.ts'
export type { ScopeClaims } from '../../src/auth/scope-claims.ts'
export { SCOPE_TOKEN } from '../../src/auth/scopes.ts'
export { type ParsedToken, parseToken, TokenError } from '../../src/auth/token.ts'
export { assertAccessToken } from '../../src/auth/token-kind.ts'
export { isTrustDomain, SVID_USE } from '../../src/auth/trust-domain.ts'
export { createBusyError, MAX_TURN_WAIT_MS, Turns, type Waiting } from '../../src/auth/turns.ts'
export type { CallerTokenParts, OpenWay } from '../../src/credentials.ts'
