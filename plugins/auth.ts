// Verifies the bearer token, or asks the way that owns it, before the body is read; errors are 401, never 500.
// @fastify/jwt checks the signature of a token, src/auth all else. Without access control, the app
// may set `request.caller`.
// Spec 2026-07-28: basic/authorization, "Access Token Usage".
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { AccessWay } from '../src/auth/access-way.ts'
import { isApiKey } from '../src/auth/api-key.ts'
import { formatChallenge } from '../src/auth/challenge.ts'
import { checkEd25519 } from '../src/auth/ed25519.ts'
import type { Issuer, Issuers } from '../src/auth/issuers.ts'
import { ALGORITHMS, ED25519 } from '../src/auth/keys.ts'
import { parseBearerToken, TokenError } from '../src/auth/token.ts'
import { TokenVerifier } from '../src/auth/token-verifier.ts'
import { McpError } from '../src/protocol/errors.ts'
import { readCaller } from '../src/request/caller.ts'
import type { Caller } from '../src/request/exchange.ts'
import { toLogContext } from './audit.ts'
import { GUARDS } from './guards.ts'
import { toAddressKey } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The protected resource metadata of this route, if it differs from the endpoint's. */
    metadataUrl?: string | undefined
  }
  interface FastifyRequest {
    verifyToolrackToken(options: undefined, done: (error: Error | null) => void): void
  }
}

export interface AuthOptions {
  /** Of tokens; undefined if none is accepted. */
  readonly issuers: Issuers | undefined
  /** Beside tokens. */
  readonly ways: readonly AccessWay[]
  readonly metadataUrl: string | undefined
  /** Whether there is metadata now: an issuer can come and go. */
  hasMetadata(): boolean
  scopes(request: FastifyRequest): readonly string[]
  /** Called for each new token; false if it could not be verified now. */
  onNewToken?(isVerified: boolean): void
  /** Called with the token of a caller that was verified now. */
  onVerified?(caller: Caller, token: string, issuer: Issuer): void
}

async function auth(app: FastifyInstance, { issuers, ways, ...options }: AuthOptions) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
  if (issuers === undefined && ways.length === 0) {
    app[GUARDS].authenticate = checkCaller
    return
  }
  for (const way of ways) {
    way.start()
    app.addHook('onClose', async () => way.close())
  }
  const tokens = issuers === undefined ? NO_TOKENS : await createTokenGuard(app, issuers, options)
  authenticate(app, { tokens, ways }, options)
}

/** The app may have verified it. */
const checkCaller: onRequestHookHandler = (request, _reply, done) => {
  try {
    request.caller = readCaller(request.caller)
  } catch (error) {
    return done(error as Error)
  }
  done()
}

/** Verifies what no other way owns. */
interface TokenGuard {
  /** The caller, if the token was verified a moment ago. @param authorization the whole header */
  find(authorization: string): Caller | undefined
  /** @throws TokenError or a library's error if it is refused; McpError if that cannot be known now */
  verify(request: FastifyRequest, token: string): Promise<Caller>
}

const NO_TOKENS: TokenGuard = {
  find: () => undefined,
  verify() {
    throw new TokenError('this server accepts API keys only')
  },
}

interface Verifiers {
  readonly tokens: TokenGuard
  readonly ways: readonly AccessWay[]
}

function authenticate(app: FastifyInstance, { tokens, ways }: Verifiers, options: RefuseOptions): void {
  const refuse = createRefuse(app, options)
  // An McpError: not verified yet, so it may be valid.
  const fail = (request: FastifyRequest, fault: unknown, done: (error: Error) => void) =>
    fault instanceof McpError ? done(fault) : refuse(request, toTokenError(fault), done)
  app[GUARDS].authenticate = (request, _reply, done) => {
    try {
      assertSingleAuthorization(request.raw.rawHeaders)
      const { authorization } = request.headers
      request.caller = authorization === undefined ? undefined : tokens.find(authorization)
      if (request.caller !== undefined) return done()
      const token = parseBearerToken(authorization)
      if (token === undefined) return refuse(request, undefined, done)
      const way = ways.find(each => each.owns(token))
      if (way !== undefined) {
        request.caller = way.verify(token)
        return done()
      }
      if (isApiKey(token)) throw new TokenError('this server accepts no API keys')
      tokens.verify(request, token).then(
        caller => {
          request.caller = caller
          done()
        },
        fault => fail(request, fault, done),
      )
    } catch (fault) {
      fail(request, fault, done)
    }
  }
}

async function createTokenGuard(
  app: FastifyInstance,
  issuers: Issuers,
  options: Pick<AuthOptions, 'onNewToken' | 'onVerified'>,
): Promise<TokenGuard> {
  const verifier = new TokenVerifier({ issuers, ...options })
  const checkSignature = await createSignatureCheck(app)
  app.addHook('onClose', async () => verifier.close())
  await verifier.start()
  return {
    find: authorization => verifier.find(authorization),
    verify: async (request, token) =>
      verifier.verify({
        token,
        // In one spelling, so that nobody fills the memory with one token in many.
        authorization: `Bearer ${token}`,
        address: toAddressKey(request.ip),
        hasLeft: () => request.raw.socket?.destroyed === true,
        checkSignature: ({ key }, alg) => checkSignature(request, { token, key, alg }),
      }),
  }
}

type RefuseOptions = Pick<AuthOptions, 'metadataUrl' | 'hasMetadata' | 'scopes'>

function createRefuse(app: FastifyInstance, { metadataUrl, hasMetadata, scopes }: RefuseOptions) {
  return (request: FastifyRequest, fault: TokenError | undefined, done: (error: Error) => void) => {
    // First, so that a flood of refusals needs no scope lookups.
    const limited = app[GUARDS].countFailure(request, fault !== undefined)
    if (limited !== undefined) return done(limited)
    if (fault !== undefined) app.log.info({ ...toLogContext(request), reason: fault.message }, 'token refused')
    const error = fault === undefined ? {} : { error: 'invalid_token' as const, description: fault.message }
    const { metadataUrl: ownUrl = metadataUrl } = request.routeOptions.config
    const challenge = formatChallenge(hasMetadata() ? ownUrl : undefined, { ...error, scopes: scopes(request) })
    done(new McpError('UNAUTHENTICATED', fault?.message ?? 'send Authorization: Bearer and a token', { challenge }))
  }
}

interface SignedToken {
  readonly token: string
  readonly key: string
  readonly alg: string
}

/** Lets @fastify/jwt verify signatures only; we choose token, key and claims. */
async function createSignatureCheck(app: FastifyInstance) {
  // Loaded here, since a server without access control starts sooner without it.
  const { default: jwt } = await import('@fastify/jwt')
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
    // src/auth/claims.ts checks times and claims more strictly; TokenCache caches.
    verify: {
      algorithms: ALGORITHMS.filter(alg => alg !== ED25519),
      ignoreExpiration: true,
      ignoreNotBefore: true,
      cache: false,
      extractToken: (request: FastifyRequest) => checked.get(request)!.token,
    },
  } as never)
  return async (request: FastifyRequest, signed: SignedToken): Promise<void> => {
    if (signed.alg === ED25519) return checkEd25519(signed)
    checked.set(request, signed)
    await new Promise<void>((resolve, reject) =>
      request.verifyToolrackToken(undefined, error => (error ? reject(error) : resolve())),
    )
  }
}

// Node keeps the first of two headers; a proxy in front of us may have read the other.
function assertSingleAuthorization(rawHeaders: readonly string[]): void {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count++
  }
  if (count > 1) throw new TokenError('Authorization came twice')
}

const AUTHORIZATION = 'authorization'

type SecretCallback = (error: Error | null, key?: string) => void

// Library errors may quote the token.
function toTokenError(fault: unknown): TokenError {
  return fault instanceof TokenError ? fault : new TokenError('the signature is not valid', { cause: fault })
}

export default fp(auth, { name: 'toolrack-auth', dependencies: ['toolrack-rate-limit'] })
