// Verifies the bearer token or API key before the body is read; errors are 401, never 500.
// @fastify/jwt checks the signature of a token, src/auth all else. Without access control, the app
// may set `request.caller`.
// Spec 2026-07-28: basic/authorization, "Access Token Usage".
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { formatChallenge } from '../src/auth/access.ts'
import { isApiKey } from '../src/auth/api-key.ts'
import type { ApiKeys } from '../src/auth/api-keys.ts'
import { type ClaimRules, TOLERANCE_S, verifyClaims } from '../src/auth/claims.ts'
import { isKeyOfIssuer, type Keys } from '../src/auth/keys.ts'
import { type ParsedToken, parseBearerToken, parseToken, TokenError } from '../src/auth/token.ts'
import { TokenCache } from '../src/auth/token-cache.ts'
import { VerificationBudget } from '../src/auth/verification-budget.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { Headers } from '../src/protocol/headers.ts'
import { jitterRetryAfter } from '../src/request/answer.ts'
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
  readonly keys: Keys | undefined
  readonly apiKeys?: ApiKeys | undefined
  readonly claims: ClaimRules
  readonly metadataUrl: string | undefined
  scopes(headers: Headers): readonly string[]
  /** Called for each new token; false if it could not be verified now. */
  onNewToken?(isVerified: boolean): void
  /** Called with the token of a caller that was verified now. */
  onVerified?(caller: Caller, token: string): void
}

async function auth(app: FastifyInstance, { keys, apiKeys, ...options }: AuthOptions) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
  if (keys === undefined && apiKeys === undefined) {
    app[GUARDS].authenticate = (_request, _reply, done) => done()
    return
  }
  if (apiKeys !== undefined) {
    apiKeys.start()
    app.addHook('onClose', async () => apiKeys.close())
  }
  const tokens = keys === undefined ? NO_TOKENS : await createTokenVerifier(app, keys, options)
  authenticate(app, { tokens, apiKeys }, options)
}

/** Verifies tokens that are no API keys. */
interface TokenVerifier {
  /** The caller, if the token was verified a moment ago. @param authorization the whole header */
  find(authorization: string): Caller | undefined
  /** @throws TokenError or a library's error if it is refused; McpError if it gets no turn */
  verify(request: FastifyRequest, token: string): Promise<Caller>
}

const NO_TOKENS: TokenVerifier = {
  find: () => undefined,
  verify() {
    throw new TokenError('it is no API key, and this server accepts nothing else')
  },
}

interface Verifiers {
  readonly tokens: TokenVerifier
  readonly apiKeys: ApiKeys | undefined
}

function authenticate(
  app: FastifyInstance,
  { tokens, apiKeys }: Verifiers,
  options: Pick<AuthOptions, 'metadataUrl' | 'scopes'>,
): void {
  const refuse = createRefuse(app, options)
  app[GUARDS].authenticate = (request, _reply, done) => {
    try {
      assertSingleAuthorization(request.raw.rawHeaders)
      const { authorization } = request.headers
      request.caller = authorization === undefined ? undefined : tokens.find(authorization)
      if (request.caller !== undefined) return done()
      const token = parseBearerToken(authorization)
      if (token === undefined) return refuse(request, undefined, done)
      if (isApiKey(token)) {
        if (apiKeys === undefined) throw new TokenError('this server accepts no API keys')
        request.caller = apiKeys.verify(token)
        return done()
      }
      tokens.verify(request, token).then(
        caller => {
          request.caller = caller
          done()
        },
        // An McpError: not verified yet, so it may be valid.
        fault => (fault instanceof McpError ? done(fault) : refuse(request, toTokenError(fault), done)),
      )
    } catch (fault) {
      refuse(request, toTokenError(fault), done)
    }
  }
}

/** Tokens that are JWTs. */
async function createTokenVerifier(
  app: FastifyInstance,
  keys: Keys,
  { claims, onNewToken = () => {}, onVerified }: Pick<AuthOptions, 'claims' | 'onNewToken' | 'onVerified'>,
): Promise<TokenVerifier> {
  const verified = new TokenCache()
  const budget = new VerificationBudget()
  const checkSignature = await createSignatureCheck(app, keys)
  app.addHook('onClose', async () => {
    keys.close()
    budget.close()
  })
  await keys.start()

  /** @throws McpError BUSY (503) if the token gets no turn */
  const awaitTurn = async ({ ip, raw }: FastifyRequest, cost: number): Promise<void> => {
    const isAllowed = await budget.take(toAddressKey(ip), cost, () => raw.socket?.destroyed === true)
    onNewToken(isAllowed)
    if (!isAllowed)
      throw new McpError('BUSY', 'too many new tokens wait to be verified; retry', { retryAfterS: jitterRetryAfter(2) })
  }

  /** Needs no signature check, so it takes nothing from the budget. */
  const findKey = async ({ header }: ParsedToken) => {
    // Read first: if the key is removed meanwhile, the token is verified again.
    const { generation } = keys
    const key = await keys.find(header)
    if (key === undefined) throw new TokenError('it is signed with no key that is trusted')
    return { key, generation }
  }

  const verify = async (request: FastifyRequest, token: string): Promise<Caller> => {
    const read = parseToken(token)
    // Before the key lookup, so that rejected tokens fetch no keys.
    const { expiresAtS, ...claimed } = verifyClaims(read, claims, Date.now() / 1000)
    const authorization = request.headers.authorization!
    const { key, generation } = await findKey(read)
    if (!isKeyOfIssuer(key, claimed.issuer)) throw new TokenError('it is signed with a key of another issuer')
    // Known tokens skip the budget, whatever others send from the same address.
    if (!verified.isKnown(authorization)) await awaitTurn(request, key.cost)
    // Another request may have verified the token meanwhile.
    const known = verified.find(authorization, keys.generation)
    if (known !== undefined) return known
    await checkSignature(request, { token, key: key.key })
    const caller = Object.freeze({ ...claimed, expiresAtMs: expiresAtS * 1000 })
    // By the whole header, which contains this token only.
    verified.remember(authorization, caller, { expiresAtMs: (expiresAtS + TOLERANCE_S) * 1000, generation })
    onVerified?.(caller, token)
    return caller
  }

  return {
    find: authorization => verified.find(authorization, keys.generation),
    async verify(request, token) {
      try {
        return await verify(request, token)
      } catch (fault) {
        if (!(fault instanceof McpError)) verified.forget(request.headers.authorization!)
        throw fault
      }
    },
  }
}

function createRefuse(app: FastifyInstance, { metadataUrl, scopes }: Pick<AuthOptions, 'metadataUrl' | 'scopes'>) {
  return (request: FastifyRequest, fault: TokenError | undefined, done: (error: Error) => void) => {
    // First, so that a flood of refusals needs no scope lookups.
    const limited = app[GUARDS].countFailure(request, fault !== undefined)
    if (limited !== undefined) return done(limited)
    if (fault !== undefined) app.log.info({ ...toLogContext(request), reason: fault.message }, 'token refused')
    const error = fault === undefined ? {} : { error: 'invalid_token' as const, description: fault.message }
    const { metadataUrl: ownUrl = metadataUrl } = request.routeOptions.config
    const challenge = formatChallenge(ownUrl, { ...error, scopes: scopes(request.headers) })
    done(new McpError('UNAUTHENTICATED', fault?.message ?? 'send Authorization: Bearer and a token', { challenge }))
  }
}

interface SignedToken {
  readonly token: string
  readonly key: string
}

/** Lets @fastify/jwt verify signatures only; we choose token, key and claims. */
async function createSignatureCheck(app: FastifyInstance, { algorithms }: Keys) {
  // Loaded here, since a server without access control starts sooner without it.
  const { default: jwt } = await import('@fastify/jwt')
  const checked = new WeakMap<FastifyRequest, SignedToken>()
  await app.register(jwt, {
    // Avoids a clash with the app's own @fastify/jwt.
    namespace: `toolrack ${randomUUID()}`,
    decoratorName: 'toolrackToken',
    jwtVerify: 'verifyToolrackToken',
    secret: {
      public: (request: FastifyRequest, _token: unknown, done: SecretCallback) => done(null, checked.get(request)!.key),
    },
    // src/auth/claims.ts checks times and claims more strictly; TokenCache caches.
    verify: {
      algorithms: [...algorithms],
      ignoreExpiration: true,
      ignoreNotBefore: true,
      cache: false,
      extractToken: (request: FastifyRequest) => checked.get(request)!.token,
    },
  } as never)
  return (request: FastifyRequest, signed: SignedToken): Promise<void> => {
    checked.set(request, signed)
    return new Promise((resolve, reject) =>
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
