// The endpoint's URL as a client has to write it.
import type { FastifyRequest } from 'fastify'
import { acceptsTokens } from '../src/config/access.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getPublicUrl, getResourceUri, toOpenUrl } from '../src/config/public-url.ts'

type Named = Pick<ResolvedOptions, 'settings' | 'namedUrl'>

/** The URL that holds wherever the browser is: PUBLIC_URL, else the one that tokens name. */
export function findFixedUrl({ settings, namedUrl }: Named): string | undefined {
  if (namedUrl !== undefined) return namedUrl
  // Tokens name this URL as their audience, and clients compare it with what they open.
  if (acceptsTokens(settings) && settings.jwtAudience === undefined) return getResourceUri(settings)
  return undefined
}

/** The fixed one, else where the browser has found this server. The guards have checked the host. */
export function getClientUrl({ host, protocol }: FastifyRequest, named: Named): string {
  const fixed = findFixedUrl(named)
  if (fixed !== undefined) return fixed
  const url = getPublicUrl(named.settings)
  // A proxy that is trusted may pass on whatever its client calls the protocol.
  const scheme = protocol === 'https' ? 'https' : 'http'
  // A port out of range is all that can be wrong with the host.
  const opened = URL.parse(url.pathname, `${scheme}://${host}`)
  return toOpenUrl(opened ?? url).href
}
