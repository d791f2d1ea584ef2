// How many requests a client may send: per subject, or before a valid token per address (IPv6 by /64); headers only.
// Takes from @fastify/rate-limit what one client is, and counts with our own limits: its hook is asynchronous, and while
// a hook awaits, Node buffers the body, which cost a quarter of a call (docs/design.md); its store answers with the live
// counter, so that of requests that come at once all see the last; its windows are fixed, so that twice the limit passes.
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { ownerOf } from '../src/access/identity.ts'
import type { Eventually } from '../src/chain.ts'
import { addressKey, refusalOf, requestCounter, requestRule } from '../src/client-limits.ts'
import type { Settings } from '../src/config.ts'
import type { McpError } from '../src/protocol/errors.ts'
import type { LimitRule, Limits, LocalLimits } from '../src/state/limits.ts'

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
  readonly failures: LocalLimits
}

/** Refused tokens of one address; fewer where fewer requests are allowed. */
export const FAILURES: LimitRule = Object.freeze({ max: 60, windowMs: 60_000 })

async function limit(app: FastifyInstance, { settings, limits, failures }: RateLimitOptions) {
  const rule = requestRule(settings)
  const ofTokens = Object.freeze({ ...FAILURES, max: Math.min(FAILURES.max, rule.max) })
  const countRequest = requestCounter(limits, rule)

  // Nearly always the same as before; made anew, its hash would be too.
  let last = { ip: '', key: '' }
  const keyOf = (ip: string) => {
    if (ip !== last.ip) last = { ip, key: addressKey(ip) }
    return last.key
  }

  app.decorateRequest('clientKey', '')
  app.decorate('countMessage', ({ clientKey }: FastifyRequest) => countRequest(clientKey))
  app.decorate<onRequestHookHandler>('limitCaller', (request, _reply, done) => {
    // What names a caller begins with a bracket, and so is no address.
    request.clientKey = ownerOf(request.caller) ?? keyOf(request.ip)
    const refusal = countRequest(request.clientKey)
    if (refusal instanceof Promise) refusal.then(done, done)
    else done(refusal)
  })
  app.decorate('countFailure', ({ ip }: FastifyRequest, hasToken: boolean) => {
    const own = hasToken ? ofTokens : rule
    return refusalOf(failures.take(`${hasToken} ${addressKey(ip)}`, own), own)
  })
  app.decorate('checkFailures', ({ ip }: FastifyRequest) =>
    refusalOf(failures.peek(`true ${addressKey(ip)}`, ofTokens), ofTokens),
  )
}

export default fp(limit, { name: 'toolrack-rate-limit' })
