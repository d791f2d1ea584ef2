// The keys that tokens may be signed with, each for one algorithm. RFC 8725, 3.1: the key says the algorithm, not the token.
import type { Eventually } from '../chain.ts'
import type { ReadToken } from './token.ts'

export type Algorithm = 'HS256' | 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

export interface VerificationKey {
  readonly algorithm: Algorithm
  /** A shared secret, or a public key in PEM. */
  readonly key: string
}

export interface Keys {
  readonly algorithms: readonly Algorithm[]
  /** Grows when a key is taken away: what was verified before may not be valid any more. */
  readonly generation: number
  /** The key that a token says it is signed with; undefined where none is trusted. */
  find(header: ReadToken['header']): Eventually<VerificationKey | undefined>
  /** Ready to verify, or given up for now. */
  start(): Promise<void>
  close(): void
}

/** One secret that issuer and server share. */
export function secretKeys(secret: string): Keys {
  const only: VerificationKey = Object.freeze({ algorithm: 'HS256', key: secret })
  return {
    algorithms: ['HS256'],
    generation: 0,
    find: ({ alg }) => (alg === only.algorithm ? only : undefined),
    start: async () => {},
    close: () => {},
  }
}
