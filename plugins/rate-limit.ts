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
import type { Limits, LocalLimits } from '../src/state/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limitCaller: onRequestHookHandler
    /** Counts one message more of the same request. @returns why it may not pass */
    countMessage(request: FastifyRequest): Eventually<McpError | undefined>
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
  const rule = requestRule(settings)
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
  // Only who would be refused anyway: a good token is looked at, whatever else its address sends.
  app.decorate('countFailure', ({ ip }: FastifyRequest, hasToken: boolean) => {
    const what = hasToken ? 'refused tokens of one address' : 'requests without a token of one address'
    return refusalOf(failures.take(`${hasToken} ${addressKey(ip)}`, rule), rule, what)
  })
}

export default fp(limit, { name: 'toolrack-rate-limit' })
