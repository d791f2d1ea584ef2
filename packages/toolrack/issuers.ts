// Requests to issuers and authorization servers.
export { FETCH_TIMEOUT_MS, fetchBounded } from '../issuers/src/bounded-fetch.ts'
export { findMetadata } from '../issuers/src/issuer-metadata.ts'
