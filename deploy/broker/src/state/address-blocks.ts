// The blocks that an address is in, from the one that a single subscriber has to that of a provider.
import ipaddr from 'ipaddr.js'

const PREFIXES = { ipv4: [32, 24, 16], ipv6: [64, 48, 32] } as const

/** @returns as `192.0.2.1/32`, narrowest first; an address of IPv4 within IPv6 counts as what it is */
export function toBlocks(ip: string): readonly string[] {
  const address = ipaddr.process(ip)
  const kind = address.kind()
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return PREFIXES[kind].map(bits => `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`)
}
