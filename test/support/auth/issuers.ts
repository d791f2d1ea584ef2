// Sets of keys in the shape in which issuers publish them, by their documentation; the keys are the tests' own.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { rsaKey } from './rsa-keys.ts'

export interface Signer {
  readonly alg: string
  readonly kid: string | undefined
  readonly key: KeyObject
}

export interface PublishedSet {
  readonly jwks: readonly object[]
  /** Who signs tokens with these. */
  readonly signers: readonly Signer[]
  /** Ids of the keys that are for something else. */
  readonly others: readonly string[]
}

const publicPart = (key: KeyObject) => {
  const { n, e } = createPublicKey(key).export({ format: 'jwk' })
  return { kty: 'RSA', n, e }
}
const thumbprint = (kid: string) => createHash('sha1').update(kid).digest('base64url')
const chain = (key: KeyObject) => [createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')]

/** Microsoft Entra: no `alg`, `kid` is `x5t`, a certificate and the issuer beside. */
function entra(): PublishedSet {
  const signers = ['first', 'second'].map(name => ({ alg: 'RS256', kid: thumbprint(name), key: rsaKey() }))
  const issuer = 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0'
  const jwks = signers.map(({ kid, key }) => {
    const { n, e } = publicPart(key)
    return { kty: 'RSA', use: 'sig', kid, x5t: kid, n, e, x5c: chain(key), cloud_instance_name: 'microsoft', issuer }
  })
  return { jwks, signers, others: [] }
}

function auth0(): PublishedSet {
  const signers = ['current', 'next'].map(kid => ({ alg: 'RS256', kid, key: rsaKey() }))
  const jwks = signers.map(({ kid, key }) => {
    const { n, e } = publicPart(key)
    return { kty: 'RSA', use: 'sig', n, e, kid, x5t: thumbprint(kid), x5c: chain(key), alg: 'RS256' }
  })
  return { jwks, signers, others: [] }
}

function okta(): PublishedSet {
  const signer = { alg: 'RS256', kid: 'U5R8cHbGw445Qbq8zVO1PcCpXL8yG6IcovVa3laCoxM', key: rsaKey() }
  return {
    jwks: [{ alg: 'RS256', ...publicPart(signer.key), kid: signer.kid, use: 'sig' }],
    signers: [signer],
    others: [],
  }
}

/** Keycloak: a key for encryption beside the one for signatures. */
function keycloak(): PublishedSet {
  const signer = { alg: 'RS256', kid: 'jXRzXqTfLTs6dDbTkuFzCWSdGMhxqAZLvZE5n9bG1cM', key: rsaKey() }
  const other = { kid: 'b3hFzXqTfLTs6dDbTkuFzCWSdGMhxqAZLvZE5n9bG1cM', key: rsaKey() }
  const own = (kid: string, key: KeyObject) => ({
    ...publicPart(key),
    kid,
    x5c: chain(key),
    x5t: thumbprint(kid),
    'x5t#S256': thumbprint(`${kid} `),
  })
  return {
    jwks: [
      { ...own(other.kid, other.key), alg: 'RSA-OAEP', use: 'enc' },
      { ...own(signer.kid, signer.key), alg: 'RS256', use: 'sig' },
    ],
    signers: [signer],
    others: [other.kid],
  }
}

function google(): PublishedSet {
  const signers = ['one', 'two'].map(name => ({
    alg: 'RS256',
    kid: createHash('sha1').update(name).digest('hex'),
    key: rsaKey(),
  }))
  const jwks = signers.map(({ kid, key }) => ({ ...publicPart(key), alg: 'RS256', use: 'sig', kid }))
  return { jwks, signers, others: [] }
}

export const ISSUERS: Readonly<Record<string, () => PublishedSet>> = {
  'Microsoft Entra': entra,
  Auth0: auth0,
  Okta: okta,
  Keycloak: keycloak,
  Google: google,
}
