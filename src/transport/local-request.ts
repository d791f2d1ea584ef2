// Whether a request comes from this machine, and not through a proxy.
import type { FastifyRequest } from 'fastify'
import { isLoopback, toHostname } from '../config/addresses.ts'
import { findTargetHost } from './target-host.ts'

const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

/** A local proxy makes every caller look local, and DNS rebinding gives a page a loopback address. */
export function isLocalRequest(request: FastifyRequest): boolean {
  const { socket, headers, hostname } = request
  if (Object.keys(headers).some(name => FORWARDED.test(name))) return false
  const named = findTargetHost(request)
  return isLoopback(socket.remoteAddress ?? '') && isLoopback(named === undefined ? hostname : toHostname(named))
}
