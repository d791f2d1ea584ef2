// Checks the signature of a token by @fastify/jwt; token, key and claims are ours to choose.
import { verify } from 'node:crypto'
import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ALGORITHMS, ED25519, TokenError } from 'toolrack/access'

declare module 'fastify' {
  interface FastifyRequest {
    verifyToolrackToken(options: undefined, done: (error: Error | null) => void): void
  }
}

/** @throws an error if the signature is not valid */
export type CheckSignature = (request: FastifyRequest, signed: SignedToken) => Promise<void>

interface SignedToken {
  readonly token: string
  readonly key: string
  readonly alg: string
}

/** @param app the scope in which @fastify/jwt is registered */
export async function createSignatureCheck(app: FastifyInstance): Promise<CheckSignature> {
  const checked = new WeakMap<FastifyRequest, SignedToken>()
  // Of this scope: that of an app around it is its own, and need not be of @fastify/jwt.
  Object.defineProperty(app, 'jwt', { value: Object.create(null) })
  await app.register(jwt, {
    namespace: 'toolrack',
    decoratorName: 'toolrackToken',
    jwtVerify: 'verifyToolrackToken',
    secret: {
      public: (request: FastifyRequest, _token: unknown, done: SecretCallback) => done(null, checked.get(request)!.key),
    },
    // claims.ts checks times and claims more strictly; TokenCache caches.
    verify: {
      algorithms: ALGORITHMS.filter(alg => alg !== ED25519),
      ignoreExpiration: true,
      ignoreNotBefore: true,
      cache: false,
      extractToken: (request: FastifyRequest) => checked.get(request)!.token,
    },
  } as never)
  return async (request, signed) => {
    if (signed.alg === ED25519) return checkEd25519(signed)
    checked.set(request, signed)
    await new Promise<void>((resolve, reject) =>
      request.verifyToolrackToken(undefined, error => (error ? reject(error) : resolve())),
    )
  }
}

type SecretCallback = (error: Error | null, key?: string) => void

/** @fastify/jwt knows `Ed25519` by its former name alone. RFC 9864, 2.2. @throws TokenError */
function checkEd25519({ token, key }: SignedToken): void {
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  if (!verify(null, Buffer.from(token.slice(0, end)), key, signature))
    throw new TokenError('the signature is not valid')
}
