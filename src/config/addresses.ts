// Hosts, origins and addresses: syntax, lists and loopback checks.
import { BlockList, isIP } from 'node:net'
import { quoteUrl } from '../text/url-credentials.ts'

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1']

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** @param host a name, or an address with or without brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  if (family === 0) return bare.toLowerCase() === 'localhost'
  return loopback.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** Over https, or on this machine. */
export const isSafeUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))

/** `example.com:8080` → `example.com`; `[::1]:80` → `::1`; in lower case. */
export function toHostname(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host)
  return (bracketed === null ? host.replace(/:\d+$/, '') : bracketed[1]!).toLowerCase()
}

/** Compares an entry with a port to host and port, one without a port to the host name only. */
export function createHostCheck(configured: readonly string[] | undefined, publicUrl: URL): (host: string) => boolean {
  const entries = new Set([...(configured ?? LOOPBACK_NAMES), publicUrl.host.toLowerCase(), toHostname(publicUrl.host)])
  return host => entries.has(toHostname(host)) || entries.has(host.toLowerCase())
}

/**
 * The default is loopback on any port; the public URL is always allowed. `app://` allows all of its scheme.
 *
 * @param publicUrl undefined if nobody has named one
 */
export function createOriginCheck(
  configured: readonly string[] | undefined,
  publicUrl: URL | undefined,
): (origin: string) => boolean {
  const entries = new Set([...(configured ?? []), ...(publicUrl === undefined ? [] : [publicUrl.origin])])
  if (configured !== undefined) return origin => entries.has(origin) || entries.has(toScheme(origin))
  return origin => entries.has(origin) || isLoopbackOrigin(origin)
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin && isLoopback(url.hostname)
}

/** `moz-extension://0a1b` → `moz-extension://`; empty of web pages, whose scheme says nothing about them. */
function toScheme(origin: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\/(?=.)/.exec(origin)?.[0] ?? ''
  return WEB_SCHEMES.has(scheme) ? '' : scheme
}

const WEB_SCHEMES: ReadonlySet<string> = new Set(['http://', 'https://', 'ws://', 'wss://', 'ftp://', 'file://'])

/** @throws Error naming the expected form */
export function parseOrigins(entries: readonly string[]): readonly string[] {
  for (const entry of entries) {
    if (!isOrigin(entry) || entry.includes('*'))
      throw new Error(`expected origins such as https://app.example, not ${quoteUrl(entry)}`)
  }
  return entries
}

/** Of a page, an app or an extension; or a scheme of the latter, for ids that each installation makes up. */
export function isOrigin(entry: string): boolean {
  const scheme = toScheme(`${entry}x`)
  if (scheme === '') return URL.parse(entry)?.origin === entry
  const { host } = URL.parse(entry) ?? {}
  return host !== undefined && `${scheme}${host}` === entry
}

export function parseHostList(entries: readonly string[]): readonly string[] {
  for (const entry of entries) {
    if (!/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]|[0-9A-Fa-f:]+)(?::\d+)?$/.test(entry)) {
      throw new Error(`expected hosts such as app.example or app.example:8080, not ${quoteUrl(entry)}`)
    }
  }
  return entries.map(entry =>
    (isIP(entry) === 6 ? entry : /:\d+$/.test(entry) ? entry : toHostname(entry)).toLowerCase(),
  )
}

export function isAddressBlock(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return (
    prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128) && Number(prefix) > 0)
  )
}
