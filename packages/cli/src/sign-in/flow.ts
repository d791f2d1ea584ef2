// Signs the user in to a server: finds its authorization server, registers, opens the browser and
// receives the answer.
// The official library implements OAuth; this file combines its parts.
// Spec 2026-07-28: basic/authorization.
import { randomBytes } from 'node:crypto'
import {
  auth,
  computeScopeUnion,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { isSafeUrl } from 'toolrack/settings'
import { toVisibleLine } from 'toolrack/text'
import { explainFailure } from '../client/failures.ts'
import type { Target } from '../client/target.ts'
import { DISCOVER_REQUEST } from '../discover-request.ts'
import { CommandError } from '../errors.ts'
import { explainSignIn } from './failures.ts'
import { type SignIn, withSignInLock, writeSignIn } from './kept.ts'
import { listenForRedirect, type Redirect } from './redirect.ts'
import { toExpiry } from './tokens.ts'

export interface SignInOptions {
  readonly target: Target
  /** Scopes in addition to those that the server asks for. */
  readonly scope?: string | undefined
  /** The id of a client that its operator has registered, or the https URL of its metadata document. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** The port of the redirect, if the registered client has one; 0 for any port. */
  readonly port: number
  readonly signal: AbortSignal
  /** Shows the page to the user. @returns an answer that comes in another way than the redirect */
  ask(page: URL, state: string, signal: AbortSignal): Promise<URLSearchParams>
}

const REQUEST_TIMEOUT_MS = 15_000

/** @throws CommandError */
export async function signIn(options: SignInOptions): Promise<SignIn> {
  const challenge = await findChallenge(options)
  const redirect = await listenForRedirect(options.port)
  if (redirect === undefined)
    throw new CommandError(
      `port ${options.port} of 127.0.0.1 is taken; stop what listens there, or take another --port`,
    )
  let isSignedIn = false
  try {
    const made = await run(challenge, redirect, options)
    await withSignInLock(challenge.url, async () => writeSignIn(made))
    isSignedIn = true
    return made
  } finally {
    redirect.close(isSignedIn)
  }
}

interface Challenge {
  readonly url: URL
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
}

/** Status codes of a path without an endpoint. */
const NOT_HERE: readonly number[] = [404, 405]

/** The first URL with an endpoint, and its challenge. @throws CommandError if it has no challenge */
async function findChallenge(options: SignInOptions): Promise<Challenge> {
  const { target } = options
  for (const [index, url] of target.urls.entries()) {
    const ask = createFetch(url, options)
    const response = await ask(url, { ...DISCOVER_REQUEST, redirect: 'manual' }).catch(error => {
      options.signal.throwIfAborted()
      throw explainFailure(error, url, target)
    })
    await response.body?.cancel()
    assertHere(response, url)
    if (response.status === 401) return { url, ...extractWWWAuthenticateParams(response) }
    if (NOT_HERE.includes(response.status) && index < target.urls.length - 1) continue
    // It answers anybody, but may serve more to those who sign in.
    const isProtected = await discoverOAuthProtectedResourceMetadata(url, {}, ask).then(Boolean, () => false)
    if (isProtected) return { url }
    throw new CommandError(`${url.href} asks for no token (${response.status}), so nobody has to sign in`)
  }
  throw new Error('a target without a URL')
}

/** The user's headers for one server must not go to another one. */
function assertHere({ status, headers }: Response, url: URL): void {
  const target = status >= 300 && status < 400 ? URL.parse(headers.get('location') ?? '', url.href) : null
  if (target === null) return
  const shown = toVisibleLine(`${target.origin}${target.pathname}`)
  throw new CommandError(`${url.href} redirects to ${shown}; sign in to that URL if it is the intended server`)
}

/** Each request has a time limit. The user's headers go to the server only. */
const createFetch =
  (server: URL, { target, signal }: SignInOptions): FetchLike =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    const isServer = new URL(input).origin === server.origin
    for (const [name, value] of Object.entries(isServer ? target.headers : {}))
      if (name.toLowerCase() !== 'authorization') headers.set(name, value)
    return fetch(input, {
      ...init,
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
  }

async function run(challenge: Challenge, redirect: Redirect, options: SignInOptions): Promise<SignIn> {
  const { url } = challenge
  const { signal } = options
  const fetchFn = createFetch(url, options)
  const attempt = new Attempt(redirect, options)
  try {
    await auth(attempt.provider, {
      serverUrl: url,
      scope: await findScope(challenge, options),
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      forceReauthorization: true,
      fetchFn,
    })
    const { page, client, discovered, resource, verifier } = attempt.begun()
    const { authorizationServerMetadata: metadata, authorizationServerUrl } = discovered
    const stopped = new AbortController()
    const within = AbortSignal.any([signal, stopped.signal])
    const answer = await Promise.race([
      redirect.answer(attempt.state, within),
      options.ask(page, attempt.state, within),
    ]).finally(() => stopped.abort())
    const tokens = await exchangeAuthorization(authorizationServerUrl, {
      ...(metadata && { metadata }),
      clientInformation: client,
      authorizationCode: readCode(answer, discovered),
      ...(answer.has('iss') && { iss: answer.get('iss')! }),
      codeVerifier: verifier,
      redirectUri: redirect.url,
      ...(resource !== undefined && { resource }),
      fetchFn,
    })
    return toSignIn(url, redirect, attempt.begun(), tokens)
  } catch (error) {
    signal.throwIfAborted()
    throw explainSignIn(error, attempt.server ?? url.href)
  }
}

/**
 * The scopes that the server asks for, and those of the user; undefined leaves the choice to the
 * library.
 */
async function findScope({ url, scope, resourceMetadataUrl }: Challenge, options: SignInOptions) {
  if (options.scope === undefined || scope !== undefined) return computeScopeUnion(scope, options.scope)
  const metadata = await discoverOAuthProtectedResourceMetadata(
    url,
    { ...(resourceMetadataUrl && { resourceMetadataUrl }) },
    createFetch(url, options),
  ).catch(() => undefined)
  return computeScopeUnion(metadata?.scopes_supported?.join(' '), options.scope)
}

/**
 * Checks RFC 9207 first: another server's answer must not count.
 *
 * @throws CommandError if the user has refused
 */
function readCode(answer: URLSearchParams, { authorizationServerMetadata: metadata }: OAuthDiscoveryState): string {
  validateAuthorizationResponseIssuer({
    iss: answer.get('iss') ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.['authorization_response_iss_parameter_supported'] === true,
  })
  const [code, error, description] = ['code', 'error', 'error_description'].map(name => answer.get(name))
  if (error) {
    const reason = description ? `${error}, ${description.slice(0, MAX_DESCRIPTION)}` : error
    throw new CommandError(`the sign-in was refused: ${toVisibleLine(reason)}`)
  }
  if (!code) throw new CommandError('the authorization server has answered without a code')
  return code
}

const MAX_DESCRIPTION = 300

function toSignIn({ href }: URL, redirect: Redirect, begun: Begun, tokens: OAuthTokens): SignIn {
  const { discovered, client, resource } = begun
  const { authorizationServerMetadata: metadata, authorizationServerUrl } = discovered
  return {
    url: href,
    issuer: metadata?.issuer ?? authorizationServerUrl,
    metadata,
    resource,
    client,
    redirectUrl: redirect.url,
    tokens,
    expiresMs: toExpiry(tokens),
  }
}

interface Begun {
  readonly page: URL
  readonly client: StoredOAuthClientInformation
  readonly discovered: OAuthDiscoveryState
  readonly resource: string | undefined
  readonly verifier: string
}

/** Everything that the library finds and creates until the user is asked. */
class Attempt {
  readonly state = randomBytes(32).toString('base64url')
  readonly provider: OAuthClientProvider
  #page: URL | undefined
  #client: StoredOAuthClientInformation | undefined
  #discovered: OAuthDiscoveryState | undefined
  #resource: string | undefined
  #verifier = ''

  constructor(redirect: Redirect, { clientId, clientSecret }: SignInOptions) {
    const isDocument = clientId?.startsWith('https://') === true
    if (clientId !== undefined && !isDocument)
      this.#client = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
    this.provider = {
      redirectUrl: redirect.url,
      ...(isDocument && { clientMetadataUrl: clientId }),
      clientMetadata: {
        client_name: 'Toolrack',
        redirect_uris: [redirect.url],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      state: () => this.state,
      clientInformation: () => this.#client,
      saveClientInformation: client => void (this.#client = client),
      tokens: () => undefined,
      saveTokens: () => {},
      saveCodeVerifier: verifier => void (this.#verifier = verifier),
      codeVerifier: () => this.#verifier,
      discoveryState: () => undefined,
      saveDiscoveryState: state => void (this.#discovered = state),
      saveResourceUrl: resource => void (this.#resource = resource),
      redirectToAuthorization: page => void (this.#page = page),
    }
  }

  /** The authorization server, once it is known. */
  get server(): string | undefined {
    return this.#discovered?.authorizationServerUrl
  }

  /** @throws CommandError if the page must not be opened */
  begun(): Begun {
    const page = this.#page!
    if (!isSafeUrl(page)) throw new CommandError(`the authorization server has its page at ${page.origin}, without TLS`)
    return {
      page,
      client: this.#client!,
      discovered: this.#discovered!,
      resource: this.#resource,
      verifier: this.#verifier,
    }
  }
}
