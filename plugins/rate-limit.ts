// Limits requests per subject, or by a claim (RATE_LIMIT_CLAIM); before a valid token, per address
// (IPv6 by /64). Reads headers only. Uses src/state/limits. The hook of @fastify/rate-limit is
// asynchronous, so Node would buffer the body (docs/decisions, 4), and its fixed windows let twice
// the limit pass.
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config/settings.ts'
import { McpError } from '../src/protocol/errors.ts'
import { createRateKey } from '../src/request/claim-keys.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import type { Owners } from '../src/request/owners.ts'
import type { LimitDecision, LimitRule, Limits, LocalLimits } from '../src/state/limits.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { GUARDS, type Guards } from './guards.ts'

const IPV6_SUBNET = 64
// Some proxies add the port, so that each connection would count as another client.
const WITH_PORT = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/

/** @param ip as in Fastify; IPv6 counts by /64, mapped IPv4 as IPv4 */
export function toAddressKey(ip: string): string {
  return `address ${ip.includes(':') ? normalizeIP(ip.replace(WITH_PORT, '$1$2'), IPV6_SUBNET) : ip}`
}

export function createRequestRule({ rateLimitMax: max, rateLimitWindow: windowMs }: Settings): LimitRule {
  return Object.freeze({ max, windowMs })
}

export type CountRequest = (clientKey: string) => MaybePromise<McpError | undefined>

/** @returns the refusal, if any */
export function createRequestCounter(limits: Limits, rule: LimitRule): CountRequest {
  const refuse = (decision: LimitDecision) => toRateLimitError(decision, rule)
  return clientKey => {
    const decision = limits.take(clientKey, rule)
    return decision instanceof Promise ? decision.then(refuse) : refuse(decision)
  }
}

/** @param what names the counted thing, for the text of the refusal */
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

export interface RateLimitOptions {
  readonly settings: Settings
  readonly owners: Owners
  readonly limits: Limits
  /** For requests without a caller. Counted per process, since they cost the process work. */
  readonly failures: LocalLimits
}

async function limit(app: FastifyInstance, { settings, owners, limits, failures }: RateLimitOptions) {
  const rule = createRequestRule(settings)
  const countKey = createRequestCounter(limits, rule)
  const toRateKey = createRateKey(settings.rateLimitClaim)
  const countClient: Guards['countClient'] = ({ caller, clientKey }) => countKey(toRateKey(caller, clientKey))
  const countRequest = ({ caller, [CLIENT_KEY]: clientKey }: FastifyRequest) => countClient({ caller, clientKey })

  // Caches the usual case, including the hash of the string.
  let last = { ip: '', key: '' }
  const getCachedAddressKey = (ip: string) => {
    if (ip !== last.ip) last = { ip, key: toAddressKey(ip) }
    return last.key
  }

  app.decorateRequest(CLIENT_KEY, '')
  app[GUARDS].countMessage = countRequest
  app[GUARDS].countClient = countClient
  app[GUARDS].limitCaller = (request, _reply, done) => {
    // An owner starts with a bracket, so it never equals an address.
    request[CLIENT_KEY] = owners.find(request.caller) ?? getCachedAddressKey(request.ip)
    const refusal = countRequest(request)
    if (refusal instanceof Promise) refusal.then(done, done)
    else done(refusal)
  }
  // Counts refused requests only: a valid token passes, whatever others send from its address.
  app[GUARDS].countFailure = ({ ip }: FastifyRequest, hasToken: boolean) => {
    const what = hasToken ? 'refused tokens of one address' : 'requests without a token of one address'
    return toRateLimitError(failures.take(`${hasToken} ${toAddressKey(ip)}`, rule), rule, what)
  }
}

export default fp(limit, { name: 'toolrack-rate-limit' })
