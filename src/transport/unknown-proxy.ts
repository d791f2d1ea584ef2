// Says once that a proxy stands in front which is not trusted: all who come through it then count as one client.
import type { FastifyRequest } from 'fastify'
import type { Log } from '../exchange.ts'

const HINT =
  'if a proxy of yours sends it, set TRUST_PROXY to the addresses of the proxy (in an app of your own: trustProxy of Fastify), ' +
  'and have it send X-Forwarded-For; else ignore this'

export function unknownProxyWarning(log: Log): (request: FastifyRequest) => void {
  let isTold = false
  return request => {
    if (isTold) return
    const { 'x-forwarded-for': forwardedFor, forwarded } = request.headers
    if (forwardedFor === undefined && forwarded === undefined) return
    // Fastify has a list of addresses wherever it trusts any proxy.
    if (request.ips !== undefined) return
    isTold = true
    const header = forwardedFor === undefined ? 'Forwarded' : 'X-Forwarded-For'
    const fields = { header, peer: request.socket.remoteAddress, hint: HINT }
    log.warn(fields, 'a request came through a proxy, and no proxy is trusted: its clients count as one')
  }
}
