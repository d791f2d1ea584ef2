// How many requests a client may send: per subject, or before a valid token per address (IPv6 by /64); headers only.
// Takes from @fastify/rate-limit what one client is, and counts with our own limits: its hook is asynchronous, and while
// a hook awaits, Node buffers the body, which cost a quarter of a call (docs/decisions, 4); its store answers with the live
// counter, so that of requests that come at once all see the last; its windows are fixed, so that twice the limit passes.
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config/settings.ts'
import { McpError } from '../src/protocol/errors.ts'
import { getOwner } from '../src/request/exchange.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import type { LimitDecision, LimitRule, Limits, LocalLimits } from '../src/state/limits.ts'

// Who counts as one client where nobody is verified, and what it is told when it has asked too often.

const IPV6_SUBNET = 64
// Some proxies write the port as well; each connection would be a client of its own.
const WITH_PORT = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/

/** @param ip as Fastify found it; IPv6 counts by /64, IPv4 that is mapped into it as IPv4 */
export function toAddressKey(ip: string): string {
  return `address ${ip.includes(':') ? normalizeIP(ip.replace(WITH_PORT, '$1$2'), IPV6_SUBNET) : ip}`
}

/** How many requests one client may send. */
export function createRequestRule({ rateLimitMax: max, rateLimitWindow: windowMs }: Settings): LimitRule {
  return Object.freeze({ max, windowMs })
}

/** Counts one request of a client. */
export type CountRequest = (clientKey: string) => MaybePromise<McpError | undefined>

/** @returns why the request may not pass, where it may not */
export function createRequestCounter(limits: Limits, rule: LimitRule): CountRequest {
  const refuse = (decision: LimitDecision) => toRateLimitError(decision, rule)
  return clientKey => {
    const decision = limits.take(clientKey, rule)
    return decision instanceof Promise ? decision.then(refuse) : refuse(decision)
  }
}

/** @param what is counted */
export function toRateLimitError(
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

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestHookHandler
    /** Counts one message more of the same request. @returns why it may not pass */
    countMessage(request: FastifyRequest): MaybePromise<McpError | undefined>
    /** Counts a request without a caller, which has no token or one that was refused. @returns why it may not be told so */
    countFailure(request: FastifyRequest, hasToken: boolean): McpError | undefined
  }
  interface FastifyRequest {
    /** Whose limits count. */
    clientKey: string
  }
}

export interface RateLimitOptions {
  readonly settings: Settings
  readonly limits: Limits
  /** Of requests without a caller: in this process, since they cost it the work. */
  readonly failures: LocalLimits
}

async function limit(app: FastifyInstance, { settings, limits, failures }: RateLimitOptions) {
  const rule = createRequestRule(settings)
  const countRequest = createRequestCounter(limits, rule)

  // Nearly always the same as before; made anew, its hash would be too.
  let last = { ip: '', key: '' }
  const getCachedAddressKey = (ip: string) => {
    if (ip !== last.ip) last = { ip, key: toAddressKey(ip) }
    return last.key
  }

  app.decorateRequest('clientKey', '')
  app.decorate('countMessage', ({ clientKey }: FastifyRequest) => countRequest(clientKey))
  app.decorate<onRequestHookHandler>('limitCaller', (request, _reply, done) => {
    // What names a caller begins with a bracket, and so is no address.
    request.clientKey = getOwner(request.caller) ?? getCachedAddressKey(request.ip)
    const refusal = countRequest(request.clientKey)
    if (refusal instanceof Promise) refusal.then(done, done)
    else done(refusal)
  })
  // Only who would be refused anyway: a good token is looked at, whatever else its address sends.
  app.decorate('countFailure', ({ ip }: FastifyRequest, hasToken: boolean) => {
    const what = hasToken ? 'refused tokens of one address' : 'requests without a token of one address'
    return toRateLimitError(failures.take(`${hasToken} ${toAddressKey(ip)}`, rule), rule, what)
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
