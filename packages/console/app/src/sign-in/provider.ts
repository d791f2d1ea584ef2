// The OAuth client for auth() of the official client. Everything is in memory, and ends with the page.
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

export interface ProviderOptions {
  /** The callback page. */
  readonly redirectUrl: string
  /** The resource of the tokens, as the server names itself. */
  readonly resource: string
}

/** The authorization server does not register clients from here, so its operator has to. */
export class ClientIdNeeded extends Error {
  override name = 'ClientIdNeeded'
}

export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadata: OAuthClientMetadata
  /** The id of a registered client; without it, the console registers itself. */
  clientId: string | undefined
  /** The URL to which auth() sends the user. */
  authorizationUrl: URL | undefined
  current: StoredOAuthTokens | undefined
  discovered: OAuthDiscoveryState | undefined
  client: StoredOAuthClientInformation | undefined
  #expiresAtMs = Number.POSITIVE_INFINITY
  #verifier = ''
  readonly #resource: string

  constructor({ redirectUrl, resource }: ProviderOptions) {
    this.redirectUrl = redirectUrl
    this.#resource = resource
    this.clientMetadata = {
      client_name: 'Toolrack console',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  /** Whether the token expires in `withinMs`. */
  expires(withinMs: number): boolean {
    return Date.now() + withinMs > this.#expiresAtMs
  }

  state(): string {
    return crypto.randomUUID()
  }

  clientInformation({ issuer }: Partial<OAuthClientInformationContext> = {}): StoredOAuthClientInformation | undefined {
    if (this.clientId !== undefined) return { client_id: this.clientId, issuer }
    const metadata = this.discovered?.authorizationServerMetadata
    if (this.client === undefined && metadata !== undefined && metadata.registration_endpoint === undefined) {
      throw new ClientIdNeeded()
    }
    return this.client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.current
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.current = tokens
    const { expires_in: seconds } = tokens
    this.#expiresAtMs = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state
  }

  /**
   * The page may have another host than the one that clients know. The server of this page names the
   * right one.
   */
  async validateResourceURL(_serverUrl: string | URL, resource = this.#resource): Promise<URL> {
    if (resource !== this.#resource) throw new Error(`The metadata are those of another resource: ${resource}`)
    return new URL(resource)
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.client = undefined
    if (scope === 'all' || scope === 'tokens') this.current = undefined
    if (scope === 'all' || scope === 'verifier') this.#verifier = ''
    if (scope === 'all' || scope === 'discovery') this.discovered = undefined
  }
}
