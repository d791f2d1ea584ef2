// Makes the keys of an issuer from its settings. Only a shared secret needs nobody to ask.
import type { Log } from 'toolrack/protocol'
import type { Issuer, IssuerSpec } from './issuers.ts'
import { createSecretKeys } from './keys.ts'

export interface IssuerParts {
  readonly log: Log
  mask(text: string): string
  /** Whether a URL that metadata names may be asked. */
  mayAsk(url: URL): boolean
  /** @throws Error that names the expected form */
  readSecret(file: string): string
  /** Makes one that is asked for its keys, or about each token; undefined if no setting names such. */
  readonly openIssuer: OpenIssuer | undefined
  onFetch(isFetched: boolean): void
  onKeyRemoved(): void
}

export type OpenIssuer = (spec: IssuerSpec, parts: IssuerParts) => Issuer

export const createIssuer = (spec: IssuerSpec, parts: IssuerParts): Issuer =>
  spec.secret === undefined
    ? parts.openIssuer!(spec, parts)
    : { spec, keys: createSecretKeys(spec.secret), introspection: undefined }
