// The operator's list of hosts and addresses that may be reached although they are not public.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'
import { type Block, isWithin, parseAddress } from './address.ts'

export interface AllowList {
  /** Name of the environment variable. */
  readonly setting: string
  /** Reports if a host is listed by name, so that its addresses need not be public. */
  hasName(hostname: string, port: number): boolean
  hasAddress(address: string, port: number): boolean
}

interface Entry {
  readonly port: number | undefined
  /** `*.example.org` is stored as `.example.org`. */
  readonly name?: string
  readonly block?: Block
}

const EXPECTED =
  'host names, *.example.org, IP addresses or CIDR blocks, separated by commas, each with an optional :port ' +
  '([address]:port for IPv6)'

/** @throws Error that names the setting, if it is malformed */
export function allowListOf(setting: string, value = ''): AllowList {
  const texts = value.split(',').map(text => text.trim())
  const entries = texts.filter(text => text !== '').map(text => parseEntry(text) ?? malformed(setting, text))
  const listed = (port: number, test: (entry: Entry) => boolean) =>
    entries.some(entry => (entry.port ?? port) === port && test(entry))
  return {
    setting,
    hasName: (hostname, port) => listed(port, ({ name }) => name !== undefined && isNamed(hostname, name)),
    hasAddress(address, port) {
      const parsed = parseAddress(address)
      return parsed !== undefined && listed(port, ({ block }) => block !== undefined && isWithin(parsed, block))
    },
  }
}

/** Allows the host of a configured service, which is often in a private network. */
export function ownHost(setting: string, { hostname, port, protocol }: URL): AllowList {
  return allowListOf(setting, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`)
}

function malformed(setting: string, text: string): never {
  throw new Error(`${setting} has ${JSON.stringify(text.slice(0, 100))}, but expects ${EXPECTED}`)
}

function parseEntry(text: string): Entry | undefined {
  const { host, port } = splitPort(text)
  if (host === undefined || port === 0 || (port !== undefined && port > 65_535)) return undefined
  const block = parseBlock(host)
  if (block !== undefined) return { port, block }
  const name = parseName(host)
  return name === undefined ? undefined : { port, name }
}

function splitPort(text: string): { host?: string; port?: number } {
  // Two colons without brackets mean IPv6, and then there is no port.
  if (/^[^[\]]*:[^[\]]*:[^[\]]*$/.test(text)) return { host: text }
  const {
    bracketed,
    host = bracketed,
    port,
  } = /^(?:\[(?<bracketed>[^[\]]+)\]|(?<host>[^[\]:]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {}
  return { host, port: port === undefined ? undefined : Number(port) }
}

function parseBlock(text: string): Block | undefined {
  // ipaddr.js also accepts 0x7f.1, which is more likely a mistake here.
  if (isIP(text.split('/')[0]!) === 0 || text.includes('%')) return undefined
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address && ipaddr.parseCIDR(`${address}/${address.kind() === 'ipv4' ? 32 : 128}`)
}

function parseName(text: string): string | undefined {
  const isWildcard = text.startsWith('*.')
  // Other parts of a URL beside the host would be dropped silently.
  const name = /[\s/?#@\\%]/.test(text) ? '' : domainToASCII(isWildcard ? text.slice(2) : text)
  const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) && isIP(name) === 0
  if (!isName) return undefined
  return isWildcard ? `.${name}` : name
}

const isNamed = (hostname: string, name: string) => (name.startsWith('.') ? hostname.endsWith(name) : hostname === name)
