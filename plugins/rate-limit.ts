// How many requests a client may send: per subject, or before a valid token per address (IPv6 by /64); headers only.
// Takes from @fastify/rate-limit what one client is, and counts with our own limits: its hook is asynchronous, and while
// a hook awaits, Node buffers the body, which cost a quarter of a call (docs/design.md); its store answers with the live
// counter, so that of requests that come at once all see the last; its windows are fixed, so that twice the limit passes.
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ownerOf } from '../src/access/identity.ts'
import type { Eventually } from '../src/chain.ts'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { LimitDecision, LimitRule, Limits } from '../src/state/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestHookHandler
    /** Counts one message more of the same request. @returns why it may not pass */
    countMessage(request: FastifyRequest): Eventually<McpError | undefined>
    /** Counts a request without a caller; with a token that is refused it has a smaller budget. */
    countFailure(request: FastifyRequest, hasToken: boolean): McpError | undefined
    /** Whether an address has sent too many tokens that were refused for another to be looked at. */
    checkFailures(request: FastifyRequest): McpError | undefined
  }
  interface FastifyRequest {
    /** Whose limits count. */
    clientKey: string
  }
}

export interface RateLimitOptions {
  readonly settings: Settings
  readonly limits: Limits
  /** Of refused tokens: in this process, since they cost it the work. */
  readonly failures: Limits
}

const IPV6_SUBNET = 64
/** Refused tokens of one address. */
export const FAILURES: LimitRule = Object.freeze({ max: 60, windowMs: 60_000 })

const addressOf = ({ ip }: FastifyRequest) => `address ${ip.includes(':') ? normalizeIP(ip, IPV6_SUBNET) : ip}`

async function limit(app: FastifyInstance, { settings, limits, failures }: RateLimitOptions) {
  const { rateLimitMax: max, rateLimitWindow: windowMs } = settings
  const rule = Object.freeze({ max, windowMs })
  const refuse = (decision: LimitDecision) => refusalOf(decision, rule)

  const count = (request: FastifyRequest): Eventually<McpError | undefined> => {
    const decision = limits.take(request.clientKey, rule)
    return decision instanceof Promise ? decision.then(refuse) : refuse(decision)
  }

  app.decorateRequest('clientKey', '')
  app.decorate('countMessage', count)
  app.decorate<onRequestHookHandler>('limitCaller', (request, _reply, done) => {
    const owner = ownerOf(request.caller)
    request.clientKey = owner === undefined ? addressOf(request) : `subject ${owner}`
    const refusal = count(request)
    if (refusal instanceof Promise) refusal.then(done, done)
    else done(refusal)
  })
  app.decorate('countFailure', (request: FastifyRequest, hasToken: boolean) => {
    const own = hasToken ? FAILURES : rule
    const decision = failures.take(`${hasToken} ${addressOf(request)}`, own)
    return decision instanceof Promise ? undefined : refusalOf(decision, own)
  })
  app.decorate('checkFailures', (request: FastifyRequest) => {
    const decision = failures.peek(`true ${addressOf(request)}`, FAILURES)
    return decision instanceof Promise ? undefined : refusalOf(decision, FAILURES)
  })
}

function refusalOf({ isAllowed, retryAfterMs }: LimitDecision, { max, windowMs }: LimitRule): McpError | undefined {
  if (isAllowed) return undefined
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new McpError('RATE_LIMITED', `at most ${max} in ${windowMs / 1000} s; retry in ${retryAfterS} s`, {
    retryAfterS,
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
