// Which addresses are public: those that anyone on the internet reaches alike. Knows no names, ports or settings.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.process>
export type Block = ReturnType<typeof ipaddr.parseCIDR>

/** All that IANA has given out as global unicast; without it, IPv4 in disguise such as `::7f00:1` would be let through. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3')
/** In public space, and yet the host's own: where Azure's machines find their agent. */
const AZURE_AGENT = '168.63.129.16'

/** Whether an address, with what IPv6 maps of IPv4 read as IPv4, is public. What is no address is not. */
export function isPublic(address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined || parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' ? parsed.toString() !== AZURE_AGENT : isWithin(parsed, GLOBAL_V6)
}

/** undefined for what is none, and for one that is bound to an interface. */
export function parseAddress(address: string): Address | undefined {
  if (isIP(address) !== 6) return isIP(address) === 4 ? ipaddr.process(address) : undefined
  // ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`; in the form of URLs there are no dots.
  const host = URL.parse(`http://[${address}]`)?.hostname
  return host === undefined ? undefined : ipaddr.process(host.slice(1, -1))
}

export function isWithin(address: Address, block: Block): boolean {
  return address.kind() === block[0].kind() && address.match(block)
}

/** Whether both are the same address, however they are written. */
export function isSame(one: string, other: string): boolean {
  const parsed = parseAddress(one)
  return parsed !== undefined && parsed.toString() === parseAddress(other)?.toString()
}
