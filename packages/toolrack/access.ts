// Tokens, keys and scopes, for the command line and the broker.
export { findApiKeyId, generateApiKey, hashApiKey, isApiKey } from '../../src/auth/api-key.ts'
export {
  ApiKeyFileError,
  type ApiKeyRecord,
  DAY_MS,
  findApiKeyFault,
  MAX_API_KEY_DAYS,
  parseApiKeys,
} from '../../src/auth/api-key-records.ts'
export { readApiKeyFile } from '../../src/auth/api-keys.ts'
export { dropMark, readBoundedFile } from '../../src/auth/bounded-file.ts'
export { isClaimName, selectClaims } from '../../src/auth/caller-claims.ts'
export { MAX_LIFETIME_S } from '../../src/auth/claims.ts'
export type { ScopeClaims } from '../../src/auth/scope-claims.ts'
export { SCOPE_TOKEN } from '../../src/auth/scopes.ts'
export { type ParsedToken, parseToken, TokenError } from '../../src/auth/token.ts'
export { assertAccessToken } from '../../src/auth/token-kind.ts'
