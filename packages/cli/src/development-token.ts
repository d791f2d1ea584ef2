// Signs a token for development with the server's own secret, and writes a curl line that uses it.
import { type JWTPayload, SignJWT } from 'jose'
import { quoteShell } from 'toolrack/clients'
import { readEnvironment } from 'toolrack/environment'
import { META_CAPABILITIES, META_VERSION, MODERN_VERSIONS } from 'toolrack/protocol'
import { ConfigError, getAudience, getPublicUrl, type Settings } from 'toolrack/settings'
import { MAX_LIFETIME_S } from 'toolrack/tokens'
import { readTtl } from './credential-options.ts'
import { UsageError } from './errors.ts'
import { readTokenClaims, toScopeClaims } from './token-claims.ts'

const [REVISION] = MODERN_VERSIONS as readonly [string]

export interface TokenOptions {
  readonly sub?: string
  readonly scope?: string
  readonly ttl: string
  readonly aud?: string
  readonly iss?: string
  readonly client?: string
  readonly claim?: readonly string[]
}

export interface DevelopmentToken {
  readonly token: string
  readonly claims: JWTPayload
  readonly url: string
  /** Lists the tools with the token. */
  readonly curl: string
}

/** @throws UsageError, or ConfigError for the settings of the server */
export async function createToken(options: TokenOptions): Promise<DevelopmentToken> {
  const settings = readEnvironment()
  if (settings.jwtSecret === undefined) {
    const forKeys = settings.apiKeysFile === undefined ? '' : '; toolrack key create makes API keys'
    throw new ConfigError(
      `JWT_SECRET: expected the secret that the server has; make one with: openssl rand -hex 32${forKeys}`,
    )
  }
  const claims = toClaims(options, settings)
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(settings.jwtSecret))
  const { href } = getPublicUrl(settings)
  return { token, claims, url: href, curl: createCurlLine(href, token) }
}

function toClaims(
  { sub, scope = '', ttl, aud, iss, client, claim = [] }: TokenOptions,
  settings: Settings,
): JWTPayload {
  if (!sub) throw new UsageError('--sub: expected who calls, such as --sub alice')
  const { jwtIssuer, jwtClaims, jwtClientIds } = settings
  const iat = Math.floor(Date.now() / 1000)
  const granting = toScopeClaims(scope, settings.jwtScopeClaims)
  const chosen = readTokenClaims(claim, jwtClaims)
  const twice = Object.keys(chosen).find(name => Object.hasOwn(granting, name))
  if (twice !== undefined) throw new UsageError(`--claim: ${twice} has the scopes of --scope`)
  const claims = {
    ...chosen,
    iss: iss ?? jwtIssuer?.[0],
    sub,
    aud: aud ?? getAudience(settings),
    client_id: client ?? jwtClientIds?.[0],
    ...granting,
    iat,
    exp: iat + Math.floor(readTtl(ttl, MAX_LIFETIME_S * 1000, '15m or 1h, of at most 24h') / 1000),
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

function createCurlLine(url: string, token: string): string {
  const _meta = {
    [META_VERSION]: REVISION,
    [META_CAPABILITIES]: {},
  }
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `MCP-Protocol-Version: ${REVISION}`,
    'Mcp-Method: tools/list',
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
  const options = [...headers.map(header => `-H ${quoteShell(header)}`), `-d ${quoteShell(body)}`]
  return ['curl -s', quoteShell(url), ...options].join(' ')
}
