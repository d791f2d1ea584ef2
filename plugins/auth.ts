// Makes the caller of a request, before the body is read: asks the way of access that owns the
// credential. Errors are 401, never 500. Without access control, the app may set `request.caller`.
// Spec 2026-07-28: basic/authorization, "Access Token Usage".
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { AccessWay } from '../src/auth/access-way.ts'
import { formatChallenge } from '../src/auth/challenge.ts'
import { parseBearerToken, TokenError } from '../src/auth/token.ts'
import { McpError } from '../src/protocol/errors.ts'
import { readCaller } from '../src/request/caller.ts'
import type { Caller } from '../src/request/exchange.ts'
import { toLogContext } from './audit.ts'
import { GUARDS } from './guards.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The protected resource metadata of this route, if it differs from the endpoint's. */
    metadataUrl?: string | undefined
  }
}

export interface AuthOptions {
  /** In the order in which a credential is offered to them. */
  readonly ways: readonly AccessWay[]
  readonly metadataUrl: string | undefined
  /** Whether there is metadata now: an issuer can come and go. */
  hasMetadata(): boolean
  scopes(request: FastifyRequest): readonly string[]
}

async function auth(app: FastifyInstance, { ways, ...options }: AuthOptions) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
  if (ways.length === 0) {
    app[GUARDS].authenticate = checkCaller
    return
  }
  for (const way of ways) {
    app.addHook('onClose', async () => way.close())
    await way.start(app)
  }
  app[GUARDS].authenticate = createGuard(ways, createRefuse(app, options))
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

type Refuse = ReturnType<typeof createRefuse>

function createGuard(ways: readonly AccessWay[], refuse: Refuse): onRequestHookHandler {
  return (request, _reply, done) => {
    const accept = (caller: Caller) => {
      request.caller = caller
      done()
    }
    // An McpError: not verified yet, so it may be valid.
    const fail = (fault: unknown) =>
      fault instanceof McpError ? done(fault) : refuse(request, toTokenError(fault), done)
    try {
      assertSingleAuthorization(request.raw.rawHeaders)
      const { authorization } = request.headers
      const known = authorization === undefined ? undefined : findKnown(ways, authorization)
      if (known !== undefined) return accept(known)
      const credential = parseBearerToken(authorization)
      if (credential === undefined) return refuse(request, undefined, done)
      const verified = findOwner(ways, credential).verify(credential, request)
      if (verified instanceof Promise) void verified.then(accept, fail)
      else accept(verified)
    } catch (fault) {
      fail(fault)
    }
  }
}

function findKnown(ways: readonly AccessWay[], authorization: string): Caller | undefined {
  for (const way of ways) {
    const caller = way.find?.(authorization)
    if (caller !== undefined) return caller
  }
  return undefined
}

/** @throws TokenError */
function findOwner(ways: readonly AccessWay[], credential: string): AccessWay {
  const owner = ways.find(way => way.owns(credential))
  if (owner !== undefined) return owner
  throw new TokenError(`this server accepts ${ways.map(way => `${way.credential}s`).join(' and ')} only`)
}

type RefuseOptions = Omit<AuthOptions, 'ways'>

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

// Library errors may quote the token.
function toTokenError(fault: unknown): TokenError {
  return fault instanceof TokenError ? fault : new TokenError('the signature is not valid', { cause: fault })
}

export default fp(auth, { name: 'toolrack-auth', dependencies: ['toolrack-rate-limit'] })
