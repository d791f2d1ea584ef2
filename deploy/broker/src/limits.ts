// Limits requests per address. The backends of Claude and ChatGPT use a few addresses for all of
// their users, so these limits are wide. Requests that cost memory are limited in total, too.
import rateLimit, { type CreateRateLimitOptions, normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'

const WINDOW_MS = 60_000

/** Requests a minute. */
export const LIMITS = {
  authorize: 120,
  consent: 120,
  register: 30,
  /** Together with the time that unused clients live, a bound of their number: 100 × 60. */
  registerAll: 100,
  /** Far below that of all: one address must not keep the documents of others from being read. */
  fetch: 20,
  fetchAll: 60,
  token: 600,
} as const

export type LimitName = keyof typeof LIMITS
export type Limit = (request: FastifyRequest) => Promise<boolean>

/** Counts of several processes are one. */
export interface SharedCounts {
  readonly redis: Redis
  /** Of its keys. */
  readonly prefix: string
}

/** @param shared if it is left out, each process counts for itself */
export async function registerLimits(app: FastifyInstance, shared?: SharedCounts): Promise<Record<LimitName, Limit>> {
  const options = shared && { redis: shared.redis, nameSpace: `${shared.prefix}:limit:`, skipOnError: true }
  await app.register(rateLimit, { global: false, ...options })
  const entries = Object.keys(LIMITS).map(name => [name, createLimit(app, name as LimitName)])
  return Object.fromEntries(entries)
}

/** @returns whether one more is allowed */
function createLimit(app: FastifyInstance, name: LimitName): Limit {
  const options: CreateRateLimitOptions = {
    max: LIMITS[name],
    timeWindow: WINDOW_MS,
    // All limits in Redis share one prefix.
    keyGenerator: ({ ip }) => (name.endsWith('All') ? name : `${name} ${toSubnet(ip)}`),
  }
  const check = app.createRateLimit(options)
  return async request => {
    const decision = await check(request)
    return decision.isAllowed || !decision.isExceeded
  }
}

const IPV6_SUBNET = 64

/** One who has an address of IPv6 has a /64 of them. */
const toSubnet = (ip: string) => (ip.includes(':') ? normalizeIP(ip, IPV6_SUBNET) : ip)

export function refuse(reply: FastifyReply): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', WINDOW_MS / 1000)
    .send({ error: 'temporarily_unavailable', error_description: 'too many requests; try again in a minute' })
}
