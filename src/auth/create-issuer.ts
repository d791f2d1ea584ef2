// Makes the keys of an issuer, or the way to ask it, from its settings.
import type { Log } from '../request/exchange.ts'
import { findEndpoint } from './issuer-metadata.ts'
import type { Introspector, Issuer, IssuerSpec } from './issuers.ts'
import { JwksKeys } from './jwks.ts'
import { createSecretKeys, type Keys } from './keys.ts'
import { isTrustDomain, SVID_USE } from './trust-domain.ts'

export interface IssuerParts {
  readonly log: Log
  mask(text: string): string
  /** Whether a URL that metadata names may be asked. */
  mayAsk(url: URL): boolean
  /** @throws Error saying what was expected */
  readSecret(file: string): string
  /** Undefined without ISSUERS_FILE, which alone has issuers that are asked. */
  readonly createIntrospector: CreateIntrospector | undefined
  onFetch(isFetched: boolean): void
  onKeyRemoved(): void
}

export type CreateIntrospector = (spec: IssuerSpec, parts: IssuerParts) => Introspector

export const createIssuer = (spec: IssuerSpec, parts: IssuerParts): Issuer =>
  spec.introspection === undefined
    ? { spec, keys: createKeys(spec, parts), introspection: undefined }
    : { spec, keys: undefined, introspection: parts.createIntrospector!(spec, parts) }

function createKeys(
  { secret, jwksUrl, algorithms, rules: { issuers = [] } }: IssuerSpec,
  { mayAsk, onFetch, onKeyRemoved: onRemoved, log, mask }: IssuerParts,
): Keys {
  if (secret !== undefined) return createSecretKeys(secret)
  const [issuer = ''] = issuers
  // No other issuer may sign with a key that its set names for another use.
  const uses = issuers.some(isTrustDomain) ? ['sig', SVID_USE] : ['sig']
  const options = { url: jwksUrl ?? issuer, algorithms, uses, onFetch, onRemoved, log, mask }
  if (jwksUrl !== undefined) return new JwksKeys(options)
  const findUrl = (signal: AbortSignal) => findEndpoint({ issuer, endpoint: 'jwks_uri', mayAsk, signal })
  return new JwksKeys({ ...options, findUrl })
}
