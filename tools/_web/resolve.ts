// From a host to the addresses that may be connected to: resolved once, and all of them checked.
import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublic } from './address.ts'
import type { AllowList } from './allow-list.ts'
import { hostOf, notPublic, portOf } from './target.ts'

export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. @throws Error where there are none */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>

/** As every other program of this machine does. */
export const systemResolve: Resolve = hostname => dns.lookup(hostname, { all: true, order: 'verbatim' })

/**
 * One address that is not public refuses them all: no page of the internet needs it, while answers that are mixed, or
 * change, are how a name is bent inwards.
 *
 * @throws ToolError where one is not public, nor allowed
 */
export async function addressesOf(
  url: URL,
  { allow, resolve }: { allow: AllowList; resolve: Resolve },
  signal: AbortSignal,
): Promise<readonly HostAddress[]> {
  const host = hostOf(url)
  const port = portOf(url)
  const family = isIP(host)
  const found = family === 0 ? await orAbort(resolve(host), signal) : [{ address: host, family }]
  const isFree = ({ address }: HostAddress) => isPublic(address) || allow.hasAddress(address, port)
  if (allow.hasName(host, port) || found.every(isFree)) return found
  throw notPublic(host, allow)
}

// The system's resolver cannot be interrupted: what it finds after the end is dropped.
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
