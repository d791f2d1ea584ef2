// Checks which URLs may be requested, by their text; their addresses are checked once resolved.
import { isIP } from 'node:net'
import { ToolError } from 'toolrack'
import type { AllowList } from './allow-list.ts'
import { BAD_PORTS } from './bad-ports.ts'

/** Names of this machine and of its network. A name without a dot is not on the internet. */
const LOCAL_NAME = /^[^.]+$|\.(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/

/** @throws ToolError if the text is no URL that may be requested */
export function parseTarget(text: string, allow: AllowList): URL {
  const url = URL.parse(text)
  if (url === null) throw noUrl(text)
  return checkTarget(url, allow)
}

/**
 * @returns the URL, without a dot at the end of its host
 * @throws ToolError if it may not be requested
 */
export function checkTarget(url: URL, allow: AllowList): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(`Only http: and https: can be asked for, not ${quoted(url.protocol)}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError('A URL with a user name or a password is refused. Give it without what is before the "@".')
  }
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  // Resolvers accept a superfluous dot; the name patterns below do not.
  if (url.hostname.split('.').includes('')) throw noUrl(url.href)
  const port = portOf(url)
  if (BAD_PORTS.has(port)) throw new ToolError(`Port ${port} belongs to another protocol than HTTP, and is refused.`)
  const host = hostOf(url)
  const isLocal = isIP(host) === 0 && LOCAL_NAME.test(host)
  if (isLocal && !allow.hasName(host, port)) throw notPublic(host, allow)
  return url
}

/** The host, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80))

function noUrl(text: string): ToolError {
  return new ToolError(`${quoted(text)} is no URL. Give a whole one, such as "https://example.org/page".`)
}

export function notPublic(host: string, { setting }: AllowList): ToolError {
  return new ToolError(
    `${quoted(host)} is not on the public internet, and is refused. Do not try it by another name; the operator can ` +
      `allow it by ${setting}.`,
  )
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200))
