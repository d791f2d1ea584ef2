// Makes the keys of an issuer, or the way to ask it about each token, from its settings.

import { isTrustDomain, SVID_USE } from 'toolrack/access'
import type { IssuerParts, OpenIssuer } from './create-issuer.ts'
import { Introspection, type IntrospectionSettings } from './introspection.ts'
import { findEndpoint } from './issuer-metadata.ts'
import type { IssuerSpec } from './issuers.ts'
import { JwksKeys } from './jwks.ts'
import type { Keys } from './keys.ts'

export const openIssuer: OpenIssuer = (spec, parts) =>
  spec.introspection === undefined
    ? { spec, keys: createKeys(spec, parts), introspection: undefined }
    : { spec, keys: undefined, introspection: createIntrospection(spec, parts) }

function createKeys(
  { jwksUrl, algorithms, rules: { issuers = [] } }: IssuerSpec,
  { mayAsk, onFetch, onKeyRemoved: onRemoved, log, mask }: IssuerParts,
): Keys {
  const [issuer = ''] = issuers
  // Another issuer must not sign with a key that its set names for another use.
  const uses = issuers.some(isTrustDomain) ? ['sig', SVID_USE] : ['sig']
  const options = { url: jwksUrl ?? issuer, algorithms, uses, onFetch, onRemoved, log, mask }
  if (jwksUrl !== undefined) return new JwksKeys(options)
  const findUrl = (signal: AbortSignal) => findEndpoint({ issuer, endpoint: 'jwks_uri', mayAsk, signal })
  return new JwksKeys({ ...options, findUrl })
}

function createIntrospection(
  { rules: { issuers: [issuer = ''] = [] }, introspection }: IssuerSpec,
  { mayAsk, readSecret, log }: IssuerParts,
): Introspection {
  const findUrl = (signal: AbortSignal) => findEndpoint({ issuer, endpoint: 'introspection_endpoint', mayAsk, signal })
  // As in the file of issuers.
  const settings = introspection as IntrospectionSettings
  return new Introspection({ issuer, settings, readSecret, findUrl, log })
}
