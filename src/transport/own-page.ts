// Whether a page of this server sent a request, as its browser says, and what other pages may do.
import { hasAccessControl } from '../config/access.ts'
import type { Settings } from '../config/settings.ts'
import { getHeader, type Headers } from '../protocol/headers.ts'

/**
 * Browsers say neither header for a page of others; a program can claim both. The first decides, since
 * `https://localhost` and `http://localhost` are two programs with one `Host`.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? isOwnOrigin(headers) : site === 'same-origin'
}

/** The origin is where the request went. Only secure pages send `Sec-Fetch-Site`. */
function isOwnOrigin(headers: Headers): boolean {
  const origin = getHeader(headers, 'origin')
  const url = URL.parse(origin ?? '')
  return url !== null && url.origin === origin && url.host === (headers['host'] ?? headers[':authority'])
}

const FOREIGN: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

type PageSettings = Parameters<typeof hasAccessControl>[0] & Pick<Settings, 'allowedOrigins' | 'publicUrl'>

/**
 * Whether a page may only call what reads: one of this machine that is neither this server's nor
 * named by the operator. It stands for whatever a browser shows from a loopback port. A token or
 * ALLOWED_ORIGINS says whom the operator trusts.
 */
export function createOtherPageCheck(settings: PageSettings): (headers: Headers) => boolean {
  if (hasAccessControl(settings) || settings.allowedOrigins !== undefined) return () => false
  // Not that of HOST and PORT: an app listens where it likes, and another program may be there.
  const publicOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin
  return headers => {
    const origin = getHeader(headers, 'origin')
    // Users can tell their browser to send no Origin.
    if (origin === undefined) return FOREIGN.has(getHeader(headers, 'sec-fetch-site') ?? '')
    return origin !== publicOrigin && !isFromOwnPage(headers)
  }
}
