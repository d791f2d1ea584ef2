// Who counts as one client where nobody is verified, and what it is told when it has asked too often.
import { normalizeIP } from '@fastify/rate-limit'
import type { Eventually } from './chain.ts'
import type { Settings } from './config.ts'
import { McpError } from './protocol/errors.ts'
import type { LimitDecision, LimitRule, Limits } from './state/limits.ts'

const IPV6_SUBNET = 64
// Some proxies write the port as well; each connection would be a client of its own.
const WITH_PORT = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/

/** @param ip as Fastify found it; IPv6 counts by /64, IPv4 that is mapped into it as IPv4 */
export function addressKey(ip: string): string {
  return `address ${ip.includes(':') ? normalizeIP(ip.replace(WITH_PORT, '$1$2'), IPV6_SUBNET) : ip}`
}

/** How many requests one client may send. */
export function requestRule({ rateLimitMax: max, rateLimitWindow: windowMs }: Settings): LimitRule {
  return Object.freeze({ max, windowMs })
}

/** Counts one request of a client. */
export type CountRequest = (clientKey: string) => Eventually<McpError | undefined>

/** @returns why the request may not pass, where it may not */
export function requestCounter(limits: Limits, rule: LimitRule): CountRequest {
  const refuse = (decision: LimitDecision) => refusalOf(decision, rule)
  return clientKey => {
    const decision = limits.take(clientKey, rule)
    return decision instanceof Promise ? decision.then(refuse) : refuse(decision)
  }
}

/** @param what is counted */
export function refusalOf(
  { isAllowed, retryAfterMs }: LimitDecision,
  { max, windowMs }: LimitRule,
  what = 'requests',
): McpError | undefined {
  if (isAllowed) return undefined
  const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new McpError('RATE_LIMITED', `at most ${max} ${what} in ${windowMs / 1000} s; retry in ${retryAfterS} s`, {
    retryAfterS,
  })
}
