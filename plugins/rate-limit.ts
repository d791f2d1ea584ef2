// How many requests a client may send: per address (IPv6 by /64), before anything of the request is read.
// Takes from @fastify/rate-limit what one client is, and counts with our own limits: its hook is asynchronous, and while
// a hook awaits, Node buffers the body, which cost a quarter of a call (docs/design.md); its store answers with the live
// counter, so that of requests that come at once all see the last; its windows are fixed, so that twice the limit passes.
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Eventually } from '../src/chain.ts'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { LimitDecision, Limits } from '../src/state/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestHookHandler
    /** Counts one message more of the same request. @returns why it may not pass */
    countMessage(request: FastifyRequest): Eventually<McpError | undefined>
  }
}

export interface RateLimitOptions {
  readonly settings: Settings
  readonly limits: Limits
}

const IPV6_SUBNET = 64

const clientOf = (ip: string) => (ip.includes(':') ? normalizeIP(ip, IPV6_SUBNET) : ip)

async function limit(app: FastifyInstance, { settings, limits }: RateLimitOptions) {
  const { rateLimitMax: max, rateLimitWindow: windowMs } = settings
  const rule = Object.freeze({ max, windowMs })

  const refusalOf = ({ isAllowed, retryAfterMs }: LimitDecision): McpError | undefined => {
    if (isAllowed) return undefined
    const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000))
    const text = `at most ${max} in ${windowMs / 1000} s; retry in ${retryAfterS} s`
    return new McpError('RATE_LIMITED', text, { retryAfterS })
  }

  const count = (request: FastifyRequest): Eventually<McpError | undefined> => {
    const decision = limits.take(clientOf(request.ip), rule)
    return decision instanceof Promise ? decision.then(refusalOf) : refusalOf(decision)
  }

  app.decorate('countMessage', count)
  app.decorate<onRequestHookHandler>('limitCaller', (request, _reply, done) => {
    const refusal = count(request)
    if (refusal instanceof Promise) refusal.then(done, done)
    else done(refusal)
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
