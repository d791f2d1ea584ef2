// Whether a page of this server sent a request, by the headers of its browser; and what other pages
// may do.
import { hasAccessControl } from '../config/access.ts'
import type { Settings } from '../config/settings.ts'
import { getHeader, type Headers } from '../protocol/headers.ts'

/**
 * Browsers send neither header for pages of others; a program can fake both. `Sec-Fetch-Site`
 * decides first:
 * `https://localhost` and `http://localhost` are two programs with the same `Host`.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? isOwnOrigin(headers) : site === 'same-origin'
}

/** Whether the origin is the host of the request. Only secure pages send `Sec-Fetch-Site`. */
function isOwnOrigin(headers: Headers): boolean {
  const origin = getHeader(headers, 'origin')
  const url = URL.parse(origin ?? '')
  return url !== null && url.origin === origin && url.host === (headers['host'] ?? headers[':authority'])
}

const FOREIGN: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

type PageSettings = Parameters<typeof hasAccessControl>[0] & Pick<Settings, 'allowedOrigins' | 'publicUrl'>

/**
 * Whether a page may only make calls that read. This holds for pages of this machine that are
 * neither this server's nor named by the operator: a browser may show anything from a loopback port.
 * With a token or ALLOWED_ORIGINS, the operator trusts the page.
 */
export function createOtherPageCheck(settings: PageSettings): (headers: Headers) => boolean {
  if (hasAccessControl(settings) || settings.allowedOrigins !== undefined) return () => false
  // Without the origin of HOST and PORT: an app may listen elsewhere, and another program may be there.
  const publicOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin
  return headers => {
    const origin = getHeader(headers, 'origin')
    // Users can configure their browser to send no Origin.
    if (origin === undefined) return FOREIGN.has(getHeader(headers, 'sec-fetch-site') ?? '')
    return origin !== publicOrigin && !isFromOwnPage(headers)
  }
}
