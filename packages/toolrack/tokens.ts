// Tokens as their package reads them, for programs that make or check some.
export { MAX_LIFETIME_S } from '../tokens/src/claims.ts'
export { type ParsedToken, parseToken } from '../tokens/src/parse-token.ts'
export { selectClaims } from '../tokens/src/select-claims.ts'
export { assertAccessToken } from '../tokens/src/token-kind.ts'
