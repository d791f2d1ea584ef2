// The authorization code flow in a window, and the refresh of tokens later.
import {
  auth,
  computeScopeUnion,
  OAuthError,
  type OAuthProtectedResourceMetadata,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { receiveAnswer } from './channel.ts'
import { ClientIdNeeded, type MemoryProvider } from './provider.ts'

export interface AuthorizationConfig {
  /** The MCP endpoint, on this page's origin. */
  readonly endpoint: string
  readonly resource: string
  readonly authorizationServers: readonly string[]
}

/** The requirements of the server's 401. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL
  readonly scope?: string
}

export interface Flow {
  readonly provider: MemoryProvider
  readonly config: AuthorizationConfig
  readonly challenge: Challenge
  /** Scopes to ask for in addition to those that the user has. */
  readonly missing: readonly string[]
  /** The window that shows the authorization server. */
  readonly popup: Window
  readonly signal: AbortSignal
}

/** Stores the tokens in the provider. */
export async function authorize({ provider, config, challenge, missing, popup, signal }: Flow): Promise<void> {
  const { resourceMetadataUrl } = challenge
  await prepareDiscovery(provider, config, resourceMetadataUrl)
  const scope = computeScopeUnion(challenge.scope, provider.current?.scope, missing.join(' '))
  // A client that is registered for fewer scopes cannot ask for more.
  if (missing.length > 0) provider.invalidateCredentials('client')
  const options = { serverUrl: new URL(config.endpoint), scope, fetchFn: createFetch(provider) }
  await auth(provider, { ...options, resourceMetadataUrl, forceReauthorization: true })
  const url = provider.authorizationUrl!
  signal.throwIfAborted()
  const answered = receiveAnswer(url.searchParams.get('state')!, signal)
  popup.location.replace(url)
  const answer = await answered
  const refused = answer.get('error')
  if (refused !== null) throw new OAuthError(refused, answer.get('error_description') ?? refused)
  const authorizationCode = answer.get('code') ?? ''
  await auth(provider, { ...options, authorizationCode, iss: answer.get('iss') ?? undefined })
}

/**
 * Keeps the tokens if the refresh fails. The server's 401 then says that the user must sign in
 * again.
 */
export async function refreshTokens(provider: MemoryProvider, resource: string): Promise<void> {
  const { current, discovered, client, clientId } = provider
  const refreshToken = current?.refresh_token
  if (refreshToken === undefined || discovered === undefined) return
  try {
    const tokens = await refreshAuthorization(discovered.authorizationServerUrl, {
      metadata: discovered.authorizationServerMetadata,
      clientInformation: clientId === undefined ? client! : { client_id: clientId },
      refreshToken,
      resource,
    })
    // The user has signed out, or in again, in the meantime.
    if (provider.current !== current) return
    provider.saveTokens({ scope: current!.scope, ...tokens, issuer: current!.issuer })
  } catch {}
}

/**
 * The metadata are on the host that clients use. This page may only use its own host, where the same
 * server answers.
 */
async function prepareDiscovery(provider: MemoryProvider, config: AuthorizationConfig, metadataUrl: URL | undefined) {
  const [authorizationServerUrl] = config.authorizationServers
  const isHere = metadataUrl === undefined || metadataUrl.origin === window.location.origin
  if (isHere || authorizationServerUrl === undefined || provider.discovered !== undefined) return
  const resourceMetadata = await readMetadata(metadataUrl.pathname, config)
  provider.discovered = { authorizationServerUrl, resourceMetadata }
}

/**
 * The metadata that the server gives at this path. If a proxy has moved the path, those that the
 * page knows.
 */
async function readMetadata(path: string, { resource, authorizationServers }: AuthorizationConfig) {
  const known: OAuthProtectedResourceMetadata = { resource, authorization_servers: [...authorizationServers] }
  const response = await fetch(path)
  if (!response.ok) return known
  const { scopes_supported } = (await response.json()) as OAuthProtectedResourceMetadata
  return { ...known, scopes_supported }
}

/** If the browser may not register this page as a client, the operator must do it. */
const createFetch =
  (provider: MemoryProvider) =>
  async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const registration = provider.discovered?.authorizationServerMetadata?.registration_endpoint
    try {
      return await fetch(input, init)
    } catch (error) {
      if (String(input) === registration) throw new ClientIdNeeded()
      throw error
    }
  }

export function describeFailure(error: unknown): string {
  if (error instanceof ClientIdNeeded) {
    return 'The authorization server does not register this page. Enter the id of a client that its operator registered.'
  }
  if (error instanceof OAuthError) return `The authorization server refused: ${error.message}`
  if (error instanceof TypeError) {
    return `The authorization server cannot be reached from this page. It has to allow the origin ${window.location.origin}.`
  }
  return error instanceof Error ? error.message : String(error)
}
