// Resolves a host to the addresses that a request may connect to: once, and checks all of them.
import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublic } from './address.ts'
import type { AllowList } from './allow-list.ts'
import { hostOf, notPublic, portOf } from './target.ts'

export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** Resolves all addresses of a name. @throws Error if there are none */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>

/** Uses the system's resolver, as other programs on this machine do. */
export const systemResolve: Resolve = hostname => dns.lookup(hostname, { all: true, order: 'verbatim' })

/**
 * Refuses a host if one of its addresses is not public. No page of the internet needs such a mix,
 * while mixed or changing answers are the way to point a name at an internal address.
 *
 * @throws ToolError if an address is neither public nor allowed
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

// The system's resolver cannot be interrupted; its late answer is dropped.
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
