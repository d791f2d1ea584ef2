// The endpoint's URL as a client has to write it.
import type { FastifyRequest } from 'fastify'
import { acceptsTokens } from '../src/config/access.ts'
import { isLoopback, toHostname } from '../src/config/addresses.ts'
import { getPublicUrl } from '../src/config/public-url.ts'
import type { Settings } from '../src/config/settings.ts'

/** Tokens name the public URL; a server on loopback may listen on another port than it says. */
export function getClientUrl({ host, protocol }: FastifyRequest, settings: Settings): string {
  const url = getPublicUrl(settings)
  const isLocal = isLoopback(url.hostname) && isLoopback(toHostname(host))
  if (!isLocal || acceptsTokens(settings)) return settings.publicUrl ?? url.href
  return new URL(url.pathname, `${protocol}://${host}`).href
}
