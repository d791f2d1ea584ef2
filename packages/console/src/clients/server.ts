// The facts of a server, made safe to print in any snippet.
import type { Server, ServerFacts } from './client.ts'

/** Some clients put the key before each tool's name, and models allow 64 characters in total. */
const MAX_KEY_LENGTH = 32
const FALLBACK_KEY = 'toolrack'

/** @throws TypeError if the URL is not one of HTTP */
export function toServer(facts: ServerFacts): Server {
  const { url, name, access, authorizationServers, plainHttp, isPlugin, toolCount, exampleTool } = facts
  const parsed = parseHttpUrl(url)
  return {
    url: encodeSpecial(parsed.href),
    plainHttp: { ...plainHttp, url: encodeSpecial(parseHttpUrl(plainHttp.url).href) },
    isPlugin,
    exampleTool,
    itsTools: toolCount === undefined || toolCount < 2 ? 'its tools' : `its ${toolCount} tools`,
    key: toKey(name),
    isHttps: parsed.protocol === 'https:',
    isLocal: isLocalHost(parsed.hostname),
    needsToken: access === 'token',
    hasSignIn: access === 'token' && authorizationServers.length > 0,
  }
}

function parseHttpUrl(url: string): URL {
  const parsed = new URL(url)
  if (!['http:', 'https:'].includes(parsed.protocol)) throw new TypeError(`not a URL of HTTP: ${parsed.protocol}`)
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  return parsed
}

/** Clients replace `${NAME}` and `$NAME` in their files, and shells read quotes. */
const encodeSpecial = (href: string): string =>
  href.replace(/[^\w:/?#[\]@!&()*+,;=.~%-]/g, found =>
    Array.from(new TextEncoder().encode(found), byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  )

export function toKey(name: string): string {
  const key = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, MAX_KEY_LENGTH)
  return key.replace(/^[-_]+|[-_]+$/g, '') || FALLBACK_KEY
}

/** Loopback, private networks (RFC 1918, 4193, link-local), and names without a domain. */
const LOCAL_HOSTS: readonly RegExp[] = [
  /^(?:0|10|127)(?:\.\d+){3}$/,
  /^169\.254(?:\.\d+){2}$/,
  /^172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}$/,
  /^192\.168(?:\.\d+){2}$/,
  /^\[(?:::1?|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*|::ffff:.*)\]$/,
  /^[^.[]+$/,
  /\.(?:localhost|local|internal|lan|home\.arpa)$/,
]

const isLocalHost = (host: string): boolean => LOCAL_HOSTS.some(pattern => pattern.test(host.toLowerCase()))
