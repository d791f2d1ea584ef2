// How many requests a client may send: per address (IPv6 by /64), before anything of the request is read.
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'
import type { LimitDecision, Limits } from '../src/state/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestAsyncHookHandler
  }
}

export interface RateLimitOptions {
  readonly settings: Settings
  readonly limits: Limits
}

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

// Whoever is refused is told when to retry; the rest need no count in each answer.
const NO_HEADERS = Object.freeze({
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
})

/**
 * Counts with our own limits. The plugin's store answers with the counter itself, not with its value, so that requests
 * that come at once all see the last of them; and its windows are fixed, so that twice the limit passes at their edge.
 */
function storeOf(limits: Limits) {
  return class implements FastifyRateLimitStore {
    incr(key: string, done: Counted, windowMs = 0, max = 0) {
      const count = ({ isAllowed, retryAfterMs }: LimitDecision) =>
        done(null, { current: isAllowed ? 0 : max + 1, ttl: retryAfterMs })
      const decision = limits.take(`request\n${key}`, { max, windowMs })
      if (decision instanceof Promise) decision.then(count, done)
      else count(decision)
    }

    child() {
      return this
    }
  }
}

async function limit(app: FastifyInstance, { settings, limits }: RateLimitOptions) {
  const { rateLimitMax: max, rateLimitWindow: timeWindow } = settings
  await app.register(rateLimit, {
    global: false,
    store: storeOf(limits),
    addHeadersOnExceeding: NO_HEADERS,
    addHeaders: { ...NO_HEADERS, 'retry-after': false },
  })
  const limitCaller = app.rateLimit({
    max,
    timeWindow,
    errorResponseBuilder(_request, { ttl }) {
      const retryAfterS = Math.max(1, Math.ceil(ttl / 1000))
      const text = `at most ${max} in ${timeWindow / 1000} s; retry in ${retryAfterS} s`
      return new McpError('RATE_LIMITED', text, { retryAfterS })
    },
  }) as onRequestAsyncHookHandler

  app.decorate('limitCaller', limitCaller)
}

export default fp(limit, { name: 'toolrack-rate-limit' })
