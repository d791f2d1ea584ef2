// Credentials: tokens, keys, scopes and ways of access.
export type { AccessWay } from '../../src/auth/access-way.ts'
export { ALGORITHMS, type Algorithm, ED25519 } from '../../src/auth/algorithms.ts'
export { API_KEY_ISSUER, API_KEY_PREFIX, isApiKey } from '../../src/auth/api-key.ts'
export { type BoundedFile, dropMark, readBoundedFile } from '../../src/auth/bounded-file.ts'
export {
  assertClaimNames,
  type ClaimNames,
  explainNoClaimText,
  freezeClaims,
  isClaimName,
  isClaimText,
  MAX_CLAIMS,
  MAX_CLAIMS_LENGTH,
} from '../../src/auth/caller-claims.ts'
export type { ClaimPatterns } from '../../src/auth/claim-patterns.ts'
export { ExpiringMap } from '../../src/auth/expiring-map.ts'
export { FileWatch } from '../../src/auth/file-watch.ts'
export { isScope, type ScopeClaims } from '../../src/auth/scope-claims.ts'
export { SCOPE_TOKEN } from '../../src/auth/scopes.ts'
export { TOLERANCE_S, TokenError } from '../../src/auth/token.ts'
export { isTrustDomain, isTrustDomainOf, SVID_USE } from '../../src/auth/trust-domain.ts'
export type { AccessKind, CallerTokenParts, WayParts } from '../../src/credentials.ts'
