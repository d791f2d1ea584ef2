// Which settings of access control fit together. What does not would leave a server open that was meant to be closed.

interface AccessSettings {
  readonly jwtSecret?: string | undefined
  readonly jwtJwksUrl?: string | undefined
  readonly jwtIssuer?: string | undefined
  readonly jwtAudience?: string | undefined
}

const PUBLIC_KEY = /-----BEGIN |"kty"\s*:/

/** What is wrong, with the name of the setting as its user knows it; undefined where nothing is. */
export function findAccessConflict(
  { jwtSecret, jwtJwksUrl, jwtIssuer, jwtAudience }: AccessSettings,
  displayName: (setting: string) => string,
): string | undefined {
  const [secret, url, issuer, audience] = ['JWT_SECRET', 'JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'].map(displayName)
  if (jwtSecret !== undefined && jwtJwksUrl !== undefined) return `${secret}: expected either it or ${url}, not both`
  if (jwtJwksUrl !== undefined && jwtIssuer === undefined) return `${issuer}: expected the issuer whose keys ${url} has`
  // Whoever knows a public key could sign with it.
  if (jwtSecret !== undefined && PUBLIC_KEY.test(jwtSecret))
    return `${secret}: expected a shared secret, not a key pair`
  if (jwtSecret !== undefined || jwtJwksUrl !== undefined) return undefined
  const alone = jwtIssuer !== undefined ? issuer : jwtAudience !== undefined ? audience : undefined
  return alone === undefined ? undefined : `${alone}: expected ${secret} or ${url} beside it`
}

// Whether the endpoint has a path of its own. Two routes of one path would be found out only when both are mounted.

interface PathSettings {
  readonly mcpPath: string
  readonly httpSse: boolean
  readonly metrics: boolean
  readonly metricsPort?: number | undefined
}

/** Who else has routes: in an app of somebody else, that app. */
interface HostKind {
  readonly isPlugin: boolean
}

/** What is wrong, with the name of the setting as its user knows it; undefined where nothing is. */
export function findPathConflict(
  settings: PathSettings,
  displayName: (setting: string) => string,
  hostKind: HostKind,
): string | undefined {
  const { mcpPath } = settings
  if (!listTakenPaths(settings, hostKind).includes(mcpPath)) return undefined
  return `${displayName('MCP_PATH')}: expected a path of its own; at ${mcpPath} the server has something else`
}

function listTakenPaths({ httpSse, metrics, metricsPort }: PathSettings, { isPlugin }: HostKind): string[] {
  const taken = ['/.well-known/oauth-protected-resource']
  if (httpSse) taken.push('/sse', '/messages')
  if (isPlugin) return taken
  taken.push('/health', '/ready')
  if (metrics && metricsPort === undefined) taken.push('/metrics')
  return taken
}
