// Decides which addresses are public, that is, the same for everyone on the internet. Knows no
// names, ports or settings.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.process>
export type Block = ReturnType<typeof ipaddr.parseCIDR>

/** IANA's global unicast space; without this check, IPv4 in disguise (`::7f00:1`) would pass. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3')
/** In public space, but Azure's machines reach the agent of their own host there. */
const AZURE_AGENT = '168.63.129.16'

/** Reads IPv4-mapped IPv6 as IPv4. A text that is no address is not public. */
export function isPublic(address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined || parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' ? parsed.toString() !== AZURE_AGENT : isWithin(parsed, GLOBAL_V6)
}

/** Returns undefined for a text that is no address, and for an address with an interface. */
export function parseAddress(address: string): Address | undefined {
  if (isIP(address) !== 6) return isIP(address) === 4 ? ipaddr.process(address) : undefined
  // ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`; a URL's form of the address has no dots.
  const host = URL.parse(`http://[${address}]`)?.hostname
  return host === undefined ? undefined : ipaddr.process(host.slice(1, -1))
}

export function isWithin(address: Address, block: Block): boolean {
  return address.kind() === block[0].kind() && address.match(block)
}

/** Reports if both are the same address in any notation. */
export function isSame(one: string, other: string): boolean {
  const parsed = parseAddress(one)
  return parsed !== undefined && parsed.toString() === parseAddress(other)?.toString()
}
