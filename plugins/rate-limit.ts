// How many requests a client may send: per address (IPv6 by /64), before anything of the request is read.
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestAsyncHookHandler
  }
}

async function limit(app: FastifyInstance, { rateLimitMax, rateLimitWindow }: Settings) {
  await app.register(rateLimit, { global: false })
  const count = app.createRateLimit({ max: rateLimitMax, timeWindow: rateLimitWindow })

  app.decorate<onRequestAsyncHookHandler>('limitCaller', async request => {
    const decision = await count(request)
    if ('isExceeded' in decision && decision.isExceeded) {
      const retryAfterS = Math.max(1, decision.ttlInSeconds)
      throw new McpError(
        'RATE_LIMITED',
        `at most ${rateLimitMax} in ${rateLimitWindow / 1000} s; retry in ${retryAfterS} s`,
        { retryAfterS },
      )
    }
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
