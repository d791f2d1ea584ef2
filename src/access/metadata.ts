// Where the metadata of a protected resource is: the well-known name, before the path of the resource. RFC 9728, 3.1.

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** @param prefix what an app puts before all paths of the plugin, which then has none at the root */
export function metadataUrlOf({ origin, pathname }: URL, prefix = ''): string {
  const isWithin = pathname.startsWith(`${prefix}/`)
  const path = isWithin ? pathname.slice(prefix.length) : pathname
  return `${origin}${isWithin ? prefix : ''}${WELL_KNOWN}${path === '/' ? '' : path}`
}

/** The paths at which it is served: at the root, behind the endpoint's own path, and behind the public one. */
export function metadataPaths(mcpPath: string, resource: URL): readonly string[] {
  const paths = new Set([WELL_KNOWN, `${WELL_KNOWN}${mcpPath}`, new URL(metadataUrlOf(resource)).pathname])
  // As routes: a colon would begin a parameter, and an asterisk, which cannot be escaped, would take any path.
  return [...paths].filter(path => !path.includes('*')).map(path => path.replaceAll(':', '::'))
}
