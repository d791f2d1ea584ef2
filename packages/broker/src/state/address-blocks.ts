// The blocks that contain an address, from that of a single subscriber to that of a provider.
import ipaddr from 'ipaddr.js'

const PREFIXES = { ipv4: [32, 24, 16], ipv6: [64, 48, 32] } as const

/** Some proxies name a port, too: `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/

/** @returns such as `192.0.2.1/32`, narrowest first; an IPv4 address within IPv6 counts as IPv4 */
export function toBlocks(text: string): readonly string[] {
  const ip = text.replace(WITH_PORT, '$1$2')
  // A trusted proxy may send `unknown`; all of these count as one.
  if (!ipaddr.isValid(ip)) return ['unknown']
  const address = ipaddr.process(ip)
  const kind = address.kind()
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return PREFIXES[kind].map(bits => `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`)
}
