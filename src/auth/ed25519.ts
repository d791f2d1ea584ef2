// Signatures of `alg: Ed25519`, which @fastify/jwt knows by its former name alone. RFC 9864, 2.2.
import { verify } from 'node:crypto'
import { TokenError } from './token.ts'

/** @throws TokenError */
export function checkEd25519({ token, key }: { readonly token: string; readonly key: string }): void {
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  if (!verify(null, Buffer.from(token.slice(0, end)), key, signature))
    throw new TokenError('the signature is not valid')
}
