// The URLs of the endpoint and its metadata, from the settings.
import type { Settings } from './settings.ts'

export function getPublicUrl({ publicUrl, host, port, mcpPath }: Settings): URL {
  return new URL(publicUrl ?? `http://${toUrlHost(host)}:${port}${mcpPath}`)
}

/** IPv6 needs brackets; its zone means nothing on other machines. */
const toUrlHost = (host: string): string => (host.includes(':') ? `[${host.split('%', 1)[0]}]` : host)

/** The resource indicator, exactly as clients know it. */
export const getResourceUri = (settings: Settings): string => settings.publicUrl ?? getPublicUrl(settings).href

/** The URL of another path of the server. */
export const getPathUrl = (settings: Settings, path: string): URL =>
  new URL(`${getPathPrefix(settings)}${path}`, getPublicUrl(settings))

/** The URL of `GET /tools`. @param endpoint as clients write it */
export const getToolsUrl = (settings: Settings, endpoint: string): string =>
  new URL(`${getPathPrefix(settings)}/tools`, endpoint).href

/** The path prefix of a proxy; empty if the public URL has none. */
export function getPathPrefix(settings: Settings): string {
  const { pathname } = getPublicUrl(settings)
  return pathname.endsWith(settings.mcpPath) ? pathname.slice(0, -settings.mcpPath.length) : ''
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * The well-known name stands before the path of the resource. RFC 9728, 3.1.
 *
 * @param prefix of all paths of the plugin, which then has no route at the root
 */
export function toMetadataUrl({ origin, pathname }: URL, prefix = ''): string {
  const isWithin = pathname.startsWith(`${prefix}/`)
  const path = isWithin ? pathname.slice(prefix.length) : pathname
  return `${origin}${isWithin ? prefix : ''}${WELL_KNOWN}${path === '/' ? '' : path}`
}

export function getMetadataPaths(mcpPath: string, resource: URL): readonly string[] {
  const paths = new Set([WELL_KNOWN, `${WELL_KNOWN}${mcpPath}`, new URL(toMetadataUrl(resource)).pathname])
  // In routes a colon starts a parameter, and an asterisk cannot be escaped.
  return [...paths].filter(path => !path.includes('*')).map(path => path.replaceAll(':', '::'))
}

/** Whether it names every address of a machine: servers bind it, and clients cannot open it. */
export const isWildcard = ({ hostname }: URL): boolean => ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(hostname)

/** The URL as clients and browsers on this machine open it. */
export function toOpenUrl(url: URL): URL {
  const open = new URL(url)
  if (isWildcard(url)) open.hostname = 'localhost'
  return open
}
