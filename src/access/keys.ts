// The keys that tokens may be signed with, each with its algorithms. RFC 8725, 3.1: the key says them, not the token.
import type { Eventually } from '../chain.ts'
import type { ReadToken } from './token.ts'

export type Algorithm =
  | 'HS256'
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'

export interface VerificationKey {
  /** The one that it names, or those of its type; a token is verified by no other. */
  readonly algorithms: readonly Algorithm[]
  /** A shared secret, or a public key in PEM. */
  readonly key: string
  /** What one signature costs, where that of RSA with 2048 bits is 1. */
  readonly cost: number
}

export interface Keys {
  readonly algorithms: readonly Algorithm[]
  /** Grows when a key is taken away: what was verified before may not be valid any more. */
  readonly generation: number
  /**
   * The key that a token says it is signed with; undefined where none is trusted.
   *
   * @throws TokenFault where it names none and several could be meant
   */
  find(header: ReadToken['header']): Eventually<VerificationKey | undefined>
  /** Ready to verify, or given up for now. */
  start(): Promise<void>
  close(): void
}

/** One secret that issuer and server share. */
export function secretKeys(secret: string): Keys {
  const only = Object.freeze<VerificationKey>({ algorithms: ['HS256'], key: secret, cost: 1 })
  return {
    algorithms: only.algorithms,
    generation: 0,
    find: ({ alg }) => (alg === 'HS256' ? only : undefined),
    start: async () => {},
    close: () => {},
  }
}
