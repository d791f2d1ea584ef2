// Warns once of an untrusted proxy: all clients behind it share one rate limit.
import type { FastifyRequest } from 'fastify'
import type { Log } from '../request/exchange.ts'

const TRUST_PROXY_HINT =
  'if a proxy of yours sends it, set TRUST_PROXY to the addresses of the proxy (in an app of your own: trustProxy of Fastify), ' +
  'and have it send X-Forwarded-For; else ignore this'

export function createProxyWarning(log: Log): (request: FastifyRequest) => void {
  let isTold = false
  return request => {
    if (isTold) return
    const { 'x-forwarded-for': forwardedFor, forwarded } = request.headers
    if (forwardedFor === undefined && forwarded === undefined) return
    // Fastify sets `ips` if it trusts any proxy.
    if (request.ips !== undefined) return
    isTold = true
    const header = forwardedFor === undefined ? 'Forwarded' : 'X-Forwarded-For'
    const fields = { header, peer: request.socket.remoteAddress, hint: TRUST_PROXY_HINT }
    log.warn(fields, 'forwarding header from an untrusted proxy; all clients behind it share one rate limit')
  }
}
