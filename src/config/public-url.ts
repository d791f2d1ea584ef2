// Where clients find the endpoint, by its settings.
import type { Settings } from './settings.ts'

/** The canonical URI of the endpoint. */
export function getPublicUrl({ publicUrl, host, port, mcpPath }: Settings): URL {
  return new URL(publicUrl ?? `http://${toUrlHost(host)}:${port}${mcpPath}`)
}

/** An IPv6 address stands in brackets, and without its zone, which means something on this machine only. */
const toUrlHost = (host: string): string => (host.includes(':') ? `[${host.split('%', 1)[0]}]` : host)

/** The resource indicator of the endpoint, letter for letter as clients know it. */
export const getResourceUri = (settings: Settings): string => settings.publicUrl ?? getPublicUrl(settings).href

/** The canonical URI of HTTP+SSE, a resource of its own to clients: they compare it with what they open (RFC 9728, 3.3). */
export const getSseUrl = (settings: Settings): URL => new URL(`${getPathPrefix(settings)}/sse`, getPublicUrl(settings))

/** What a proxy puts before the paths of this server; nothing, where the public URL shows none. */
export function getPathPrefix(settings: Settings): string {
  const { pathname } = getPublicUrl(settings)
  return pathname.endsWith(settings.mcpPath) ? pathname.slice(0, -settings.mcpPath.length) : ''
}

// Where the metadata of a protected resource is: the well-known name, before the path of the resource. RFC 9728, 3.1.

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** @param prefix what an app puts before all paths of the plugin, which then has none at the root */
export function toMetadataUrl({ origin, pathname }: URL, prefix = ''): string {
  const isWithin = pathname.startsWith(`${prefix}/`)
  const path = isWithin ? pathname.slice(prefix.length) : pathname
  return `${origin}${isWithin ? prefix : ''}${WELL_KNOWN}${path === '/' ? '' : path}`
}

/** The paths at which it is served: at the root, behind the endpoint's own path, and behind the public one. */
export function getMetadataPaths(mcpPath: string, resource: URL): readonly string[] {
  const paths = new Set([WELL_KNOWN, `${WELL_KNOWN}${mcpPath}`, new URL(toMetadataUrl(resource)).pathname])
  // As routes: a colon would begin a parameter, and an asterisk, which cannot be escaped, would take any path.
  return [...paths].filter(path => !path.includes('*')).map(path => path.replaceAll(':', '::'))
}
