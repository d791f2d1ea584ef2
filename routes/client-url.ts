// The endpoint's URL as a client has to write it.
import type { FastifyRequest } from 'fastify'
import { acceptsTokens } from '../src/config/access.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getPublicUrl, getResourceUri, toOpenUrl } from '../src/config/public-url.ts'

/** What says which URL clients have to write. */
export type NamedUrls = Pick<ResolvedOptions, 'settings' | 'namedUrl' | 'metadataUrl'>

/** The URL that holds wherever the browser is: PUBLIC_URL, else the one for which clients get tokens. */
export function findFixedUrl({ settings, namedUrl, metadataUrl }: NamedUrls): string | undefined {
  if (namedUrl !== undefined) return namedUrl
  // The metadata name this URL, and clients compare it with what they open (RFC 9728, 3.3). A token that
  // its user brings works wherever the server is.
  const isCompared = metadataUrl !== undefined && acceptsTokens(settings) && settings.jwtAudience === undefined
  return isCompared ? getResourceUri(settings) : undefined
}

/** The fixed one, else where the browser has found this server. The guards have checked the host. */
export function getClientUrl({ host, protocol }: FastifyRequest, named: NamedUrls): string {
  const fixed = findFixedUrl(named)
  if (fixed !== undefined) return fixed
  const url = getPublicUrl(named.settings)
  // A proxy that is trusted may pass on whatever its client calls the protocol.
  const scheme = protocol === 'https' ? 'https' : 'http'
  // A port out of range is all that can be wrong with the host.
  const opened = URL.parse(url.pathname, `${scheme}://${host}`)
  return toOpenUrl(opened ?? url).href
}
