// Finds the key and algorithm for a token; `CheckSignature` checks the signature with it.
// The key decides the algorithm (RFC 8725, 3.1).

import type { Algorithm } from 'toolrack/access'
import type { MaybePromise } from 'toolrack/protocol'
import type { ParsedToken } from './parse-token.ts'

export interface VerificationKey {
  /** The algorithm of the key's `alg`, or those of its type. */
  readonly algorithms: readonly Algorithm[]
  /** A shared secret or a public key in PEM. */
  readonly key: string
  /** The cost of a signature, relative to RSA with 2048 bits. */
  readonly cost: number
  /** The only issuer whose tokens the key signs (Entra); it may have `{tenantid}` for a GUID. */
  readonly issuer?: string | undefined
}

export interface Keys {
  readonly algorithms: readonly Algorithm[]
  /** Why they could not be fetched the last time; the keys before that stay. */
  readonly problem: string | undefined
  /** Whether keys were there once. */
  readonly isReady: boolean
  /**
   * The key of a token; undefined if none is trusted.
   *
   * @throws TokenError if several keys match; McpError UNVERIFIABLE (503) if that cannot be known now
   */
  find(header: ParsedToken['header']): MaybePromise<VerificationKey | undefined>
  /** Resolves when the keys are loaded, or the first fetch has failed or takes too long. */
  start(): Promise<void>
  close(): void
}

export function createSecretKeys(secret: string): Keys {
  const only = Object.freeze<VerificationKey>({ algorithms: ['HS256'], key: secret, cost: 1 })
  return {
    algorithms: only.algorithms,
    problem: undefined,
    isReady: true,
    find: ({ alg }) => (alg === 'HS256' ? only : undefined),
    start: async () => {},
    close: () => {},
  }
}

/** How often keys, or an issuer that is asked, are checked, ms. */
export const CHECK_MS = 10_000
/** How long a start waits for them, ms. */
export const STARTUP_WAIT_MS = 3000

const TENANT = '{tenantid}'
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Whether a key may sign tokens of an issuer. In Entra's key sets those of consumer accounts stand
 * beside those of all tenants, and must not sign for a tenant.
 */
export function isKeyOfIssuer({ issuer }: VerificationKey, iss: string | undefined): boolean {
  if (issuer === undefined || issuer === iss) return true
  const [start, end] = issuer.split(TENANT)
  if (iss === undefined || end === undefined || !iss.startsWith(start!) || !iss.endsWith(end)) return false
  return GUID.test(iss.slice(start!.length, iss.length - end.length))
}
