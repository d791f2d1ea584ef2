// The blocks that an address is in, from the one that a single subscriber has to that of a provider.
import ipaddr from 'ipaddr.js'

const PREFIXES = { ipv4: [32, 24, 16], ipv6: [64, 48, 32] } as const

/** Some proxies name a port, too: `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/

/** @returns as `192.0.2.1/32`, narrowest first; an address of IPv4 within IPv6 counts as what it is */
export function toBlocks(text: string): readonly string[] {
  const ip = text.replace(WITH_PORT, '$1$2')
  // A trusted proxy may say `unknown`: all of these are one.
  if (!ipaddr.isValid(ip)) return ['unknown']
  const address = ipaddr.process(ip)
  const kind = address.kind()
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return PREFIXES[kind].map(bits => `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`)
}
