// The algorithms of signatures that are accepted. RFC 7518, 3.1; RFC 8037; RFC 9864.

export const ALGORITHMS = [
  'HS256',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** RFC 9864, 2.2: what EdDSA was, by the name of its curve. @fastify/jwt does not know it. */
export const ED25519 = 'Ed25519'

export type Algorithm = (typeof ALGORITHMS)[number]
