// Where clients find the endpoint, by its settings.
import type { Settings } from './config.ts'

/** The canonical URI of the endpoint. */
export function publicUrlOf({ publicUrl, host, port, mcpPath }: Settings): URL {
  return new URL(publicUrl ?? `http://${inUrl(host)}:${port}${mcpPath}`)
}

/** An IPv6 address stands in brackets, and without its zone, which means something on this machine only. */
const inUrl = (host: string): string => (host.includes(':') ? `[${host.split('%', 1)[0]}]` : host)

/** The resource indicator of the endpoint, letter for letter as clients know it. */
export const resourceOf = (settings: Settings): string => settings.publicUrl ?? publicUrlOf(settings).href

/** The canonical URI of HTTP+SSE, a resource of its own to clients: they compare it with what they open (RFC 9728, 3.3). */
export const sseUrlOf = (settings: Settings): URL => new URL(`${pathPrefix(settings)}/sse`, publicUrlOf(settings))

/** What a proxy puts before the paths of this server; nothing, where the public URL shows none. */
export function pathPrefix(settings: Settings): string {
  const { pathname } = publicUrlOf(settings)
  return pathname.endsWith(settings.mcpPath) ? pathname.slice(0, -settings.mcpPath.length) : ''
}
