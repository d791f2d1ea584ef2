// SPIFFE trust domains as issuers: `spiffe://acme.example`. SPIFFE-ID, 2.1; JWT-SVID, 3.1.

const SCHEME = 'spiffe://'

/** The `use` of the keys of JWT-SVIDs in the bundle of a trust domain. SPIFFE Trust Domain and Bundle, 4.2.2. */
export const SVID_USE = 'jwt-svid'

export const isTrustDomain = (issuer: unknown): issuer is string =>
  typeof issuer === 'string' && issuer.startsWith(SCHEME)

/** Whether it can name a trust domain: without a path, in small letters. */
export const isTrustDomainName = (issuer: string): boolean => /^spiffe:\/\/[a-z0-9._-]{1,255}$/.test(issuer)

/** Whether a subject is a SPIFFE ID in the trust domain. */
export const isTrustDomainOf = (issuer: string, sub: unknown): boolean =>
  isTrustDomain(issuer) && typeof sub === 'string' && sub.startsWith(`${issuer}/`)
