// Who asks: the bearer token of a request, verified before a byte of its body is read; anything wrong is 401, never 500.
// @fastify/jwt looks at the signature, with the one algorithm of the one key that the token may be signed with; what the
// token says is checked by src/access. Without access control nobody is verified; an app that verifies its callers itself
// sets `request.caller`. Specification 2026-07-28: basic/authorization, "Access Token Usage".
import { randomUUID } from 'node:crypto'
import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { challengeOf } from '../src/access/challenge.ts'
import { type ClaimRules, callerOf, TOLERANCE_S } from '../src/access/claims.ts'
import type { Keys } from '../src/access/keys.ts'
import { bearerOf, type ReadToken, readToken, TokenFault } from '../src/access/token.ts'
import { VerificationBudget } from '../src/access/verification-budget.ts'
import { VerifiedTokens } from '../src/access/verified.ts'
import { addressKey } from '../src/client-limits.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { Headers } from '../src/protocol/headers.ts'
import { spreadRetry } from '../src/retry.ts'
import { marksOf } from '../src/transport/audit-request.ts'

declare module 'fastify' {
  interface FastifyInstance {
    authenticate: onRequestHookHandler
  }
  interface FastifyContextConfig {
    /** Where clients of this route learn how to get a token, if it is not where those of the endpoint do. */
    metadataUrl?: string | undefined
  }
  interface FastifyRequest {
    verifyToolrackToken(options: undefined, done: (error: Error | null) => void): void
  }
}

export interface AuthOptions {
  /** Undefined where there is no access control. */
  readonly keys: Keys | undefined
  readonly claims: ClaimRules
  /** Undefined if no authorization server issues tokens for this server. */
  readonly metadataUrl: string | undefined
  /** What a request needs, as far as its headers say. */
  scopes(headers: Headers): readonly string[]
  /** Told of each token that was not seen before, whether it could be verified now. */
  onNewToken?(isVerified: boolean): void
}

async function auth(app: FastifyInstance, { keys, ...options }: AuthOptions) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
  if (keys === undefined) app.decorate<onRequestHookHandler>('authenticate', (_request, _reply, done) => done())
  else await verifyTokens(app, keys, options)
}

async function verifyTokens(
  app: FastifyInstance,
  keys: Keys,
  { claims, metadataUrl, scopes, onNewToken = () => {} }: Omit<AuthOptions, 'keys'>,
) {
  const verified = new VerifiedTokens()
  const budget = new VerificationBudget()
  const checkSignature = await signatureCheck(app, keys)
  app.addHook('onClose', async () => {
    keys.close()
    budget.close()
  })
  await keys.start()

  const refuse = refusals(app, { metadataUrl, scopes })

  /** @throws McpError BUSY (503) where it had no turn */
  const awaitTurn = async ({ ip, raw }: FastifyRequest, cost: number): Promise<void> => {
    const isAllowed = await budget.take(addressKey(ip), cost, () => raw.socket?.destroyed === true)
    onNewToken(isAllowed)
    if (!isAllowed)
      throw new McpError('BUSY', 'too many new tokens wait to be verified; retry', { retryAfterS: spreadRetry(2) })
  }

  /** What costs no signature is looked at first, and so is no part of the budget. */
  const findKey = async ({ header }: ReadToken) => {
    // Of before the key is found: where it is taken away meanwhile, the token is verified again.
    const { generation } = keys
    const key = await keys.find(header)
    if (key === undefined) throw new TokenFault('it is signed with no key that is trusted')
    return { key, generation }
  }

  const verify = async (request: FastifyRequest, token: string): Promise<void> => {
    const read = readToken(token)
    // Before its key is looked for: what is refused anyway, such as an old token of an old key, has no keys fetched.
    const { expiresAtS, ...caller } = callerOf(read, claims, Date.now() / 1000)
    const authorization = request.headers.authorization!
    const { key, generation } = await findKey(read)
    // A good caller does not pay for what others send from its address.
    if (!verified.isKnown(authorization)) await awaitTurn(request, key.cost)
    // Another request with it may have been before.
    request.caller = verified.find(authorization, keys.generation)
    if (request.caller !== undefined) return
    await checkSignature(request, { token, key: key.key })
    request.caller = Object.freeze({ ...caller, expiresAtMs: expiresAtS * 1000 })
    // By the whole header, which was found to hold this token and nothing else.
    verified.remember(authorization, request.caller, {
      expiresAtMs: (expiresAtS + TOLERANCE_S) * 1000,
      generation,
    })
  }

  app.decorate<onRequestHookHandler>('authenticate', (request, _reply, done) => {
    try {
      assertOnce(request.raw.rawHeaders)
      const { authorization } = request.headers
      request.caller = authorization === undefined ? undefined : verified.find(authorization, keys.generation)
      if (request.caller !== undefined) return done()
      const token = bearerOf(authorization)
      if (token === undefined) return refuse(request, undefined, done)
      verify(request, token).then(
        () => done(),
        fault => {
          // It was not looked at, and may be good.
          if (fault instanceof McpError) return done(fault)
          verified.forget(authorization!)
          refuse(request, asFault(fault), done)
        },
      )
    } catch (fault) {
      refuse(request, asFault(fault), done)
    }
  })
}

function refusals(app: FastifyInstance, { metadataUrl, scopes }: Pick<AuthOptions, 'metadataUrl' | 'scopes'>) {
  return (request: FastifyRequest, fault: TokenFault | undefined, done: (error: Error) => void) => {
    // First, so that a flood of refusals does not have scopes looked up for each.
    const limited = app.countFailure(request, fault !== undefined)
    if (limited !== undefined) return done(limited)
    if (fault !== undefined) app.log.info({ ...marksOf(request), reason: fault.message }, 'token refused')
    const error = fault === undefined ? {} : { error: 'invalid_token' as const, description: fault.message }
    const { metadataUrl: ownUrl = metadataUrl } = request.routeOptions.config
    const challenge = challengeOf(ownUrl, { ...error, scopes: scopes(request.headers) })
    done(new McpError('UNAUTHENTICATED', fault?.message ?? 'send Authorization: Bearer and a token', { challenge }))
  }
}

interface Signed {
  readonly token: string
  /** A shared secret, or a public key in PEM. */
  readonly key: string
}

/** @fastify/jwt, given nothing to find or to decide: neither the token nor the key, and no claims. */
async function signatureCheck(app: FastifyInstance, { algorithms }: Keys) {
  const checked = new WeakMap<FastifyRequest, Signed>()
  await app.register(jwt, {
    // The app may have a @fastify/jwt of its own, which several of us would share.
    namespace: `toolrack ${randomUUID()}`,
    decoratorName: 'toolrackToken',
    jwtVerify: 'verifyToolrackToken',
    secret: { public: (request: FastifyRequest, _token: unknown, done: Done) => done(null, checked.get(request)!.key) },
    // Times and claims are checked by src/access, which is stricter; nothing is cached here.
    verify: {
      algorithms: [...algorithms],
      ignoreExpiration: true,
      ignoreNotBefore: true,
      cache: false,
      extractToken: (request: FastifyRequest) => checked.get(request)!.token,
    },
  } as never)
  return (request: FastifyRequest, signed: Signed): Promise<void> => {
    checked.set(request, signed)
    return new Promise((resolve, reject) =>
      request.verifyToolrackToken(undefined, error => (error ? reject(error) : resolve())),
    )
  }
}

// Node keeps the first of two in silence, unless the app says otherwise; a proxy before us may have read the other.
function assertOnce(rawHeaders: readonly string[]): void {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++
  }
  if (count > 1) throw new TokenFault('Authorization came twice')
}

const AUTHORIZATION = 'authorization'

type Done = (error: Error | null, key?: string) => void

// What a library throws may quote the token, and is no text for a client.
function asFault(fault: unknown): TokenFault {
  return fault instanceof TokenFault ? fault : new TokenFault('the signature is not valid', { cause: fault })
}

export default fp(auth, { name: 'toolrack-auth', dependencies: ['toolrack-rate-limit'] })
