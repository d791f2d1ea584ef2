// The OpenID Connect provider at which users sign in. The broker is a confidential client.
import * as oidc from 'openid-client'
import { busy } from '../state/rooms.ts'
import type { Claims } from '../users/rules.ts'

const TIMEOUT_S = 10
/** Metadata, keys and tokens take a few KiB. */
const MAX_ANSWER_BYTES = 1024 * 1024

export interface UpstreamSettings {
  readonly UPSTREAM_ISSUER: URL
  readonly UPSTREAM_CLIENT_ID: string
  readonly UPSTREAM_CLIENT_SECRET: string
  readonly UPSTREAM_SCOPES: readonly string[]
}

/** Values that must be the same when the browser comes back. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The provider, or the user there, has refused. */
export class SignInRefused extends Error {
  override name = 'SignInRefused'
}

export interface UpstreamTokens {
  /** Undefined if the answer has no ID token. */
  readonly claims: Claims | undefined
  readonly accessToken: string
  readonly expiresInS: number | undefined
  readonly refreshToken: string | undefined
}

/** Errors that mean that the user has to sign in again. The last three are also used by Entra. */
const ENDED: readonly unknown[] = ['invalid_grant', 'interaction_required', 'login_required', 'consent_required']

/** Errors after which the same request may succeed later. */
const LATER: readonly unknown[] = ['temporarily_unavailable', 'server_error', 'slow_down']

/** What providers need to give a refresh token. Others give one anyway, or for `offline_access`. */
const OFFLINE: Readonly<Record<string, Record<string, string>>> = {
  'accounts.google.com': { access_type: 'offline', prompt: 'consent' },
}

interface Discovered {
  /** Verifies the signatures of ID tokens. */
  readonly forSignIns: oidc.Configuration
  /**
   * Trusts TLS instead of a signature (OpenID Connect Core, 3.1.3.7). At that point, the provider
   * has replaced its refresh token, and a failed fetch of its keys would lose the new one.
   */
  readonly forRefreshes: oidc.Configuration
}

export class Upstream {
  readonly #settings: UpstreamSettings
  readonly #redirectUri: string
  readonly #onTrouble: (error: unknown) => void
  #discovered: Promise<Discovered> | undefined

  /** @param onTrouble called when the provider could not be asked */
  constructor(settings: UpstreamSettings, redirectUri: string, onTrouble: (error: unknown) => void) {
    this.#settings = settings
    this.#onTrouble = onTrouble
    this.#redirectUri = redirectUri
  }

  /**
   * Reads the provider's metadata, once.
   *
   * @throws Error if it cannot be read; the next call tries again
   */
  discover(): Promise<Discovered> {
    this.#discovered ??= this.#read().catch(error => {
      this.#discovered = undefined
      throw error
    })
    return this.#discovered
  }

  /** @returns where the browser goes, and the values that must come back */
  async start(): Promise<Attempt & { readonly url: URL }> {
    const { forSignIns: configuration } = await this.discover()
    const attempt = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      ...OFFLINE[this.#settings.UPSTREAM_ISSUER.host],
      scope: this.#scopes(configuration).join(' '),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    })
    return { ...attempt, url }
  }

  /**
   * Checks state, issuer (RFC 9207), nonce, PKCE and the signature of the ID token.
   *
   * @param answered the URL that the browser came back to
   * @throws SignInRefused, or another error if the answer is invalid
   */
  async finish(
    answered: URL,
    { state, nonce, verifier }: Attempt,
  ): Promise<UpstreamTokens & { readonly claims: Claims }> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    try {
      const { forSignIns } = await this.discover()
      const tokens = await oidc.authorizationCodeGrant(forSignIns, answered, checks)
      return { ...toTokens(tokens), claims: { ...tokens.claims() } }
    } catch (error) {
      if (error instanceof oidc.AuthorizationResponseError) throw new SignInRefused(error.error)
      throw error
    }
  }

  /**
   * @param scope of another service; without it, the same as at the sign-in
   * @throws SignInRefused if the sign-in has ended there; 503 if the provider cannot answer
   */
  async refresh(refreshToken: string, scope?: string): Promise<UpstreamTokens> {
    try {
      const { forRefreshes } = await this.discover()
      return toTokens(await oidc.refreshTokenGrant(forRefreshes, refreshToken, scope ? { scope } : undefined))
    } catch (error) {
      if (error instanceof oidc.ResponseBodyError) {
        const code = ENDED.includes(error.cause['suberror']) ? String(error.cause['suberror']) : error.error
        const mayLater = error.status === 429 || LATER.includes(code)
        if (ENDED.includes(code) || (scope !== undefined && !mayLater)) throw new SignInRefused(code)
      }
      this.#onTrouble(error)
      throw busy('the provider cannot be asked now; try again')
    }
  }

  /** The operator's scopes, and the scope for refresh tokens, if the provider knows it. */
  #scopes(configuration: oidc.Configuration): readonly string[] {
    const { UPSTREAM_SCOPES } = this.#settings
    const isKnown = configuration.serverMetadata().scopes_supported?.includes('offline_access') ?? false
    return isKnown && !UPSTREAM_SCOPES.includes('offline_access')
      ? [...UPSTREAM_SCOPES, 'offline_access']
      : UPSTREAM_SCOPES
  }

  async #read(): Promise<Discovered> {
    const { UPSTREAM_ISSUER: issuer, UPSTREAM_CLIENT_ID: id, UPSTREAM_CLIENT_SECRET: secret } = this.#settings
    const insecure = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
    const options = { execute: insecure, timeout: TIMEOUT_S, [oidc.customFetch]: boundedFetch }
    const found = await oidc.discovery(issuer, id, secret, undefined, options)
    const methods = found.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost
    const create = (...more: readonly ((configuration: oidc.Configuration) => void)[]) => {
      const configuration = new oidc.Configuration(found.serverMetadata(), id, {}, authenticate(secret))
      configuration.timeout = TIMEOUT_S
      configuration[oidc.customFetch] = boundedFetch
      for (const allow of [...insecure, ...more]) allow(configuration)
      return configuration
    }
    return { forSignIns: create(oidc.enableNonRepudiationChecks), forRefreshes: create() }
  }
}

const toTokens = (tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers): UpstreamTokens => ({
  claims: tokens.claims(),
  accessToken: tokens.access_token,
  expiresInS: tokens.expires_in,
  refreshToken: tokens.refresh_token,
})

/** The library reads the whole answer, however long it is. */
const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit)
  let bytes = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`the provider answered with more than ${MAX_ANSWER_BYTES} bytes`)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(count), response)
}
