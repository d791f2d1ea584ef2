// Requests to issuers and authorization servers.
export { FETCH_TIMEOUT_MS, fetchBounded } from '../tokens/src/bounded-fetch.ts'
export { findMetadata } from '../tokens/src/issuer-metadata.ts'
