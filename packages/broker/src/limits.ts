// Limits requests per address, in the memory of this process. The backends of Claude and ChatGPT use
// few addresses for all of their users, so these limits are wide. Data that requests leave behind
// have totals, too (state/rooms.ts).
import rateLimit, { type CreateRateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toBlocks } from './state/address-blocks.ts'

const WINDOW_MS = 60_000

/** Requests per minute. */
export const LIMITS = {
  authorize: 120,
  consent: 120,
  register: 30,
  fetch: 20,
  token: 600,
} as const

export type LimitName = keyof typeof LIMITS
export type Limit = (request: FastifyRequest) => Promise<boolean>

/** @param onRefused called for each request above the limit */
export async function registerLimits(
  app: FastifyInstance,
  onRefused: (name: LimitName) => void,
): Promise<Record<LimitName, Limit>> {
  await app.register(rateLimit, { global: false })
  const entries = Object.keys(LIMITS).map(name => [name, createLimit(app, name as LimitName, onRefused)])
  return Object.fromEntries(entries)
}

/** @returns whether one more request is allowed */
function createLimit(app: FastifyInstance, name: LimitName, onRefused: (name: LimitName) => void): Limit {
  const options: CreateRateLimitOptions = {
    max: LIMITS[name],
    timeWindow: WINDOW_MS,
    keyGenerator: ({ ip }) => toBlocks(ip)[0]!,
  }
  const check = app.createRateLimit(options)
  return async request => {
    const decision = await check(request)
    const isRight = decision.isAllowed || !decision.isExceeded
    if (!isRight) onRefused(name)
    return isRight
  }
}

export function refuse(reply: FastifyReply): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', WINDOW_MS / 1000)
    .send({ error: 'temporarily_unavailable', error_description: 'too many requests; try again in a minute' })
}
