// Who asks: the bearer token of a request, verified before a byte of its body is read; anything wrong is 401, never 500.
// @fastify/jwt looks at the signature, with the one algorithm of the one key that the token may be signed with; what the
// token says is checked by src/access. Without access control nobody is verified; an app that verifies its callers itself
// sets `request.caller`. Specification 2026-07-28: basic/authorization, "Access Token Usage".
import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { challengeOf } from '../src/access/challenge.ts'
import { type ClaimRules, callerOf, TOLERANCE_S } from '../src/access/claims.ts'
import type { Keys, VerificationKey } from '../src/access/keys.ts'
import { bearerOf, type ReadToken, readToken, TokenFault } from '../src/access/token.ts'
import { VerifiedTokens } from '../src/access/verified.ts'
import type { Caller } from '../src/exchange.ts'
import { McpError } from '../src/protocol/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    authenticate: onRequestHookHandler
  }
  interface FastifyRequest {
    caller: Caller | undefined
    verifyToolrackToken(options: undefined, done: (error: Error | null) => void): void
  }
}

export interface AuthOptions {
  /** Undefined where there is no access control. */
  readonly keys: Keys | undefined
  readonly claims: ClaimRules
  readonly metadataUrl: string
  /** All scopes that something registered needs: what a first token should be asked for. */
  scopes(): readonly string[]
}

async function auth(app: FastifyInstance, { keys, ...options }: AuthOptions) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
  if (keys === undefined) app.decorate<onRequestHookHandler>('authenticate', (_request, _reply, done) => done())
  else await verifyTokens(app, keys, options)
}

async function verifyTokens(
  app: FastifyInstance,
  keys: Keys,
  { claims, metadataUrl, scopes }: Omit<AuthOptions, 'keys'>,
) {
  const verified = new VerifiedTokens()
  const found = new WeakMap<FastifyRequest, VerificationKey>()
  await app.register(jwt, {
    namespace: 'toolrack',
    decoratorName: 'toolrackToken',
    jwtVerify: 'verifyToolrackToken',
    secret: { public: (request: FastifyRequest, _token: unknown, done: Done) => done(null, found.get(request)!.key) },
    // Times and claims are checked by src/access, which is stricter; nothing is cached here.
    verify: { algorithms: [...keys.algorithms], ignoreExpiration: true, ignoreNotBefore: true, cache: false },
  } as never)
  await keys.start()
  app.addHook('onClose', async () => keys.close())

  const refuse = (request: FastifyRequest, fault: unknown, done: (error: Error) => void) => {
    const description = fault instanceof TokenFault ? fault.message : undefined
    if (description !== undefined) app.log.info({ requestId: request.id, reason: description }, 'token refused')
    const error = description === undefined ? {} : { error: 'invalid_token' as const, description }
    const challenge = challengeOf(metadataUrl, { ...error, scopes: scopes() })
    const refusal = new McpError('UNAUTHENTICATED', description ?? 'send Authorization: Bearer and a token', {
      challenge,
    })
    done(app.countFailure(request, description !== undefined) ?? refusal)
  }

  app.decorate<onRequestHookHandler>('authenticate', (request, _reply, done) => {
    try {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined) return refuse(request, undefined, done)
      request.caller = verified.find(token, keys.generation)
      if (request.caller !== undefined) return done()
      const refusal = app.checkFailures(request)
      if (refusal !== undefined) return done(refusal)
      verify(request, token).then(
        () => done(),
        fault => refuse(request, asFault(fault), done),
      )
    } catch (fault) {
      refuse(request, asFault(fault), done)
    }
  })

  async function verify(request: FastifyRequest, token: string): Promise<void> {
    const read = readToken(token)
    found.set(request, await keyFor(read))
    await new Promise<void>((resolve, reject) =>
      request.verifyToolrackToken(undefined, error =>
        error === null || error === undefined ? resolve() : reject(error),
      ),
    )
    const { expiresAtS, ...caller } = callerOf(read, claims, Date.now() / 1000)
    request.caller = Object.freeze(caller)
    verified.remember(token, request.caller, {
      expiresAtMs: (expiresAtS + TOLERANCE_S) * 1000,
      generation: keys.generation,
    })
  }

  async function keyFor({ header }: ReadToken): Promise<VerificationKey> {
    const key = await keys.find(header)
    if (key === undefined) throw new TokenFault('it is signed with no key that is trusted')
    return key
  }
}

type Done = (error: Error | null, key?: string) => void

// What a library throws may quote the token, and is no text for a client.
function asFault(fault: unknown): TokenFault {
  return fault instanceof TokenFault ? fault : new TokenFault('the signature is not valid', { cause: fault })
}

export default fp(auth, { name: 'toolrack-auth', dependencies: ['toolrack-rate-limit'] })
