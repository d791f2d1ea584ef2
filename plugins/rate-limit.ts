// How many requests a client may send: per address (IPv6 by /64), before anything of the request is read.
// Takes from @fastify/rate-limit what one client is, and counts with our own limits: its hook is asynchronous, and while
// a hook awaits, Node buffers the body, which cost a quarter of a call (docs/design.md); its store answers with the live
// counter, so that of requests that come at once all see the last; its windows are fixed, so that twice the limit passes.
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { LimitDecision, Limits } from '../src/state/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestHookHandler
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

  app.decorate<onRequestHookHandler>('limitCaller', (request, _reply, done) => {
    const decision = limits.take(clientOf(request.ip), rule)
    if (decision instanceof Promise) decision.then(ready => done(refusalOf(ready)), done)
    else done(refusalOf(decision))
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
