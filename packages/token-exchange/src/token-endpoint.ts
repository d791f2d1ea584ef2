// Asks an authorization server for tokens of other services: OAuth 2.0 Token Exchange (RFC 8693),
// or the on-behalf-of form of Microsoft Entra, which is a JWT bearer grant (RFC 7523).

import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi'
import { FETCH_TIMEOUT_MS, fetchBounded, findMetadata } from 'toolrack/issuers'
import { cutText, toOneLine } from 'toolrack/text'

export type ExchangeGrant = 'token-exchange' | 'jwt-bearer'

/** The target of a token: at least one member is set. */
export interface Service {
  /** The service, in the words of the authorization server. */
  readonly audience: string | undefined
  /** Its URL. RFC 8707, 2. */
  readonly resource: string | undefined
  readonly scopes: readonly string[]
}

export interface ExchangedToken {
  readonly accessToken: string
  /** Undefined if the authorization server does not say it. */
  readonly expiresInS: number | undefined
}

/** `refused`: the authorization server has answered with an error of OAuth. */
export class ExchangeError extends Error {
  override name = 'ExchangeError'
  readonly kind: 'refused' | 'failed'
  /** The `error` of the answer. */
  readonly code: string | undefined
  /** Whether the user has to act first: to consent, or to sign in again. */
  readonly needsUser: boolean

  constructor(kind: ExchangeError['kind'], text: string, { code, needsUser = false }: ExchangeErrorFacts = {}) {
    super(text)
    this.kind = kind
    this.code = code
    this.needsUser = needsUser
  }
}

interface ExchangeErrorFacts {
  readonly code?: string
  readonly needsUser?: boolean
}

export interface TokenEndpointOptions {
  /** Undefined: the metadata of the issuer has it. */
  readonly url: string | undefined
  readonly issuer: string | undefined
  readonly clientId: string
  /** Called for each request, since the secret may change. */
  clientSecret(): string
  readonly grant: ExchangeGrant
  /** Whether tokens may be sent there: over https, or on this machine. */
  mayAsk(url: URL): boolean
  /** Unix time, ms. */
  readonly now?: () => number
}

/** How long the metadata of the issuer is used, ms. */
export const METADATA_MS = 60 * 60 * 1000
/** Largest answer with a token, bytes. */
export const MAX_TOKEN_RESPONSE_BYTES = 64 * 1024

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:'
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'
const ACCESS_TOKEN = `${TOKEN_TYPE}access_token`
const USABLE_TYPES: readonly unknown[] = [undefined, ACCESS_TOKEN, `${TOKEN_TYPE}jwt`]

interface KnownServer {
  readonly server: AuthorizationServer
  readonly untilMs: number
}

type OAuth = typeof import('oauth4webapi')

export class TokenEndpoint {
  readonly #options: TokenEndpointOptions
  readonly #closing = new AbortController()
  #known: KnownServer | undefined
  #discovering: Promise<AuthorizationServer> | undefined

  constructor(options: TokenEndpointOptions) {
    this.#options = options
  }

  close(): void {
    this.#closing.abort()
  }

  /** @throws ExchangeError */
  async exchange(subjectToken: string, service: Service): Promise<ExchangedToken> {
    try {
      // Loaded here, because most servers do not exchange tokens.
      const oauth = await import('oauth4webapi')
      const server = await this.#findServer()
      return readToken(await this.#request(oauth, server, this.#createParameters(subjectToken, service)))
    } catch (error) {
      throw toExchangeError(error, subjectToken)
    }
  }

  async #request(oauth: OAuth, server: AuthorizationServer, parameters: object): Promise<TokenEndpointResponse> {
    const { clientId, grant } = this.#options
    const client: Client = { client_id: clientId }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      this.#authenticate(oauth, server),
      `${GRANT_TYPE}${grant}`,
      { ...parameters },
      this.#createFetch(oauth, new URL(server.token_endpoint!), MAX_TOKEN_RESPONSE_BYTES),
    )
    return oauth.processGenericTokenEndpointResponse(server, client, await withoutOtherTokens(response))
  }

  #createParameters(subjectToken: string, { audience, resource, scopes }: Service): Record<string, string> {
    if (this.#options.grant === 'jwt-bearer')
      return {
        assertion: subjectToken,
        requested_token_use: 'on_behalf_of',
        scope: toQualifiedScopes(audience ?? resource, scopes),
      }
    return {
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    }
  }

  // Every server must support Basic (RFC 6749, 2.3.1). Entra documents the other method.
  #authenticate(oauth: OAuth, { token_endpoint_auth_methods_supported: methods }: AuthorizationServer): ClientAuth {
    const { grant } = this.#options
    const clientSecret = this.#options.clientSecret()
    const wantsPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return grant === 'jwt-bearer' || wantsPost
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret)
  }

  async #findServer(): Promise<AuthorizationServer> {
    const { url, issuer, now = Date.now } = this.#options
    if (url !== undefined) return { issuer: issuer ?? url, token_endpoint: url }
    if (this.#known !== undefined && now() < this.#known.untilMs) return this.#known.server
    this.#discovering ??= this.#discover(issuer!).finally(() => (this.#discovering = undefined))
    const server = await this.#discovering
    this.#known = { server, untilMs: now() + METADATA_MS }
    return server
  }

  async #discover(issuer: string): Promise<AuthorizationServer> {
    const { mayAsk } = this.#options
    const metadata = await findMetadata({ issuer, endpoint: 'token_endpoint', mayAsk, signal: this.#closing.signal })
    return { ...metadata, issuer }
  }

  #createFetch(oauth: OAuth, { protocol }: URL, maxBytes: number): object {
    return {
      [oauth.customFetch]: (url: string, init: RequestInit) => fetchBounded(url, init, maxBytes),
      // Only on this machine, as `mayAsk` has checked.
      [oauth.allowInsecureRequests]: protocol === 'http:',
      signal: () => AbortSignal.any([AbortSignal.timeout(FETCH_TIMEOUT_MS), this.#closing.signal]),
    }
  }
}

/** Scopes of OpenID Connect, which belong to no other service. */
const OWN_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/** Entra: scopes begin with their service; `.default` stands for all scopes of the application. */
function toQualifiedScopes(service: string | undefined, scopes: readonly string[]): string {
  if (service === undefined) return scopes.join(' ')
  const names = scopes.length === 0 ? ['.default'] : scopes
  return names.map(name => (name.includes('/') || OWN_SCOPES.includes(name) ? name : `${service}/${name}`)).join(' ')
}

// The library would check an ID token against metadata, which are missing if the endpoint's URL is set.
async function withoutOtherTokens(response: Response): Promise<Response> {
  const { status, headers } = response
  // The library refuses an answer that is not JSON, without quoting it.
  const answer: unknown =
    status === 200
      ? await response
          .clone()
          .json()
          .catch(() => undefined)
      : undefined
  if (typeof answer !== 'object' || answer === null) return response
  const { id_token: _id, refresh_token: _refresh, ...rest } = answer as Record<string, unknown>
  return new Response(JSON.stringify(rest), { status, headers })
}

/** Characters that an Authorization header may contain. RFC 6750, 2.1, and more. */
const HEADER_TOKEN = /^[\x21-\x7e]+$/

/** @throws ExchangeError */
function readToken(response: TokenEndpointResponse): ExchangedToken {
  const { access_token: accessToken, token_type: type, issued_token_type: issued, expires_in: expiresInS } = response
  if (type !== 'bearer' || !USABLE_TYPES.includes(issued) || !HEADER_TOKEN.test(accessToken))
    throw new ExchangeError('failed', 'expected a bearer access token from the authorization server')
  return { accessToken, expiresInS }
}

/** An answer with an error. RFC 6749, 5.2; the last two members are Entra's. */
interface ErrorAnswer {
  readonly error: string
  readonly error_description?: unknown
  readonly suberror?: unknown
  readonly claims?: unknown
}

const MAX_CODE = 64
const MAX_DESCRIPTION = 300
const USER_CODES: readonly unknown[] = ['interaction_required', 'login_required', 'consent_required']

function toExchangeError(error: unknown, subjectToken: string): ExchangeError {
  if (error instanceof ExchangeError) return error
  const { name, cause, message } = error as Error & { cause?: ErrorAnswer }
  if (name !== 'ResponseBodyError' || cause === undefined)
    // The library's message explains what is wrong with an answer, without quoting it.
    return new ExchangeError('failed', message)
  const clean = (text: unknown, length: number) =>
    typeof text === 'string' ? cutText(toOneLine(text.replaceAll(subjectToken, '[token]')).trim(), length) : ''
  const code = clean(cause.error, MAX_CODE)
  const description = clean(cause.error_description, MAX_DESCRIPTION)
  const needsUser = [cause.error, cause.suberror].some(each => USER_CODES.includes(each)) || cause.claims !== undefined
  return new ExchangeError('refused', description === '' ? code : `${code}: ${description}`, { code, needsUser })
}
