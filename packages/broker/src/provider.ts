// The authorization server: oidc-provider, without the features that MCP clients do not use. It
// follows RFC 9700: PKCE with S256 for all clients, exact redirect URIs, one response mode, rotated
// refresh tokens, no sessions.
import type { IncomingMessage } from 'node:http'
import Provider, { type Context, errors, interactionPolicy, type Middleware } from 'oidc-provider'
import { createClientFetch } from './clients/fetch.ts'
import { applyClientRules, isMetadataUrl } from './clients/rules.ts'
import { addExchange, EXCHANGE_CLIENT_ID, toExchangeClient } from './exchange.ts'
import { ALGORITHM, deriveCookieKeys, type KeySet } from './keys.ts'
import { PAGE_HEADERS } from './pages/headers.ts'
import { errorPage } from './pages/pages.ts'
import type { Settings } from './settings.ts'
import { createBrowserCookie } from './sign-in/browser-cookie.ts'
import type { KeptSignIns } from './sign-in/kept-sign-ins.ts'
import { type AdapterEvents, type BeforeUse, hashId, StateAdapter } from './state/adapter.ts'
import { busy, isRoomName, ROOMS, type Rooms } from './state/rooms.ts'
import type { Store } from './state/store.ts'
import type { Accounts } from './users/accounts.ts'

/** From the first page to the answer of the provider. */
export const INTERACTION_TTL_S = 600
const CODE_TTL_S = 60
const MAX_DOCUMENT_BYTES = 5 * 1024
const MAX_KEY_SET_BYTES = 16 * 1024
/** Each assertion is remembered until it ends, so that it is valid once. */
const MAX_ASSERTION_S = ROOMS.ReplayDetection.ttlS
const DOCUMENT_CACHE_S = { min: 60, max: 3600 }

export const PATHS = {
  authorization: '/authorize',
  jwks: '/jwks',
  registration: '/register',
  revocation: '/revoke',
  token: '/token',
} as const

type MayFetch = (request: IncomingMessage) => Promise<boolean>
export type ReadAddress = (request: IncomingMessage) => string

export interface ProviderParts {
  readonly settings: Settings
  readonly keys: KeySet
  readonly store: Store
  readonly accounts: Accounts
  /** Whether this request may fetch one more metadata document. */
  readonly mayFetch: MayFetch
  readonly rooms: Rooms
  readonly readAddress: ReadAddress
  readonly beforeUse: BeforeUse
  readonly keptSignIns: KeptSignIns
  onReused(kind: string): void
}

export function createProvider(parts: ProviderParts): Provider {
  const { settings, keys, store, accounts, mayFetch } = parts
  const events = { reserve: createReserve(parts), onReused: parts.onReused, beforeUse: parts.beforeUse }
  const provider = new Provider(settings.BROKER_URL, {
    adapter: (model: string) => new StateAdapter(store, model, events),
    jwks: { keys },
    clients: settings.EXCHANGE_CLIENT_SECRET === undefined ? [] : [toExchangeClient(settings.EXCHANGE_CLIENT_SECRET)],
    cookies: {
      keys: deriveCookieKeys(keys),
      names: { interaction: 'interaction', resume: 'resume', session: 'session' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: PATHS,
    fetch: createClientFetch(settings.PRIVATE_CLIENT_HOSTS),
    fetchResponseBodyLimits: {
      'client_id metadata document': MAX_DOCUMENT_BYTES,
      jwks_uri: MAX_KEY_SET_BYTES,
      sector_identifier_uri: 0,
    },
    ...protocolOptions(settings),
    ...userOptions(accounts, settings),
    ...clientOptions(settings),
    ttl: createTtls(settings),
    features: createFeatures(settings, mayFetch),
  })
  if (settings.EXCHANGE_CLIENT_SECRET !== undefined) addExchange(provider, parts)
  // Headers of the connection are replaced by those of BROKER_URL before a request arrives here.
  provider.proxy = true
  provider.use(forgetSessions)
  const scopes = [...settings.SCOPES.keys()]
  provider.use(askForAllByDefault(scopes))
  provider.use(publishScopes(scopes))
  provider.use(redirectNobodyUnasked(new URL(settings.BROKER_URL)))
  return provider
}

/** Data that a stranger's request leaves behind count against its address. */
function createReserve({ rooms, readAddress }: ProviderParts): AdapterEvents['reserve'] {
  return async (kind, bytes) => {
    const request = Provider.ctx?.req
    if (request === undefined || !isRoomName(kind)) return
    if (!(await rooms.mayMake(kind, readAddress(request), bytes))) throw busy('too many at once; try again later')
  }
}

function protocolOptions({ BROKER_URL }: Settings): object {
  const { Check, Prompt } = interactionPolicy
  const cookie = createBrowserCookie(BROKER_URL)
  // The library finds a request by cookies that other hosts of the domain can set. So another
  // browser may continue with it.
  // That browser is asked, too.
  const isUnanswered = ({ oidc, req }: Context) => {
    const browser = cookie.read(req.headers.cookie)
    return browser === undefined || oidc.result?.consent?.browser !== hashId(browser)
  }
  const unasked = new Check('unasked', 'each request needs an answer of its user', 'interaction_required', isUnanswered)
  return {
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'] },
    rotateRefreshToken: () => true,
    issueRefreshToken: (_: Context, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    enabledJWA: { idTokenSigningAlgValues: [ALGORITHM] },
    interactions: {
      url: (_: Context, { uid }: { readonly uid: string }) => `/consent/${uid}`,
      policy: [
        new Prompt({ name: 'login', requestable: true }),
        new Prompt({ name: 'select_account', requestable: true }),
        new Prompt({ name: 'consent', requestable: true }, unasked),
      ],
    },
    renderError(context: Context, out: { readonly error: string; readonly error_description?: string }) {
      context.set({ ...PAGE_HEADERS })
      context.body = errorPage(describeError(out))
    },
  }
}

const describeError = ({ error, error_description: description }: { error: string; error_description?: string }) =>
  description === undefined ? `The server says: ${error}.` : `The server says: ${error}, ${description}.`

/** Earlier grants do not count, only the answer that the user has just given. */
function userOptions(accounts: Accounts, { EXCHANGE_CLIENT_SECRET }: Settings): object {
  return {
    loadExistingGrant: ({ oidc }: Context) =>
      oidc.result?.consent && oidc.provider.Grant.find(oidc.result.consent.grantId),
    async findAccount(_: Context, accountId: string) {
      const found = await accounts.find(accountId)
      return found && { accountId, claims: () => ({ sub: accountId }) }
    },
    async extraTokenClaims(_: Context, { accountId = '', grantId = '' }: Token) {
      const claims = await accounts.find(accountId)
      return claims && (EXCHANGE_CLIENT_SECRET === undefined ? claims : { ...claims, sid: hashId(grantId) })
    },
  }
}

interface Token {
  readonly accountId?: string
  readonly grantId?: string
}

function clientOptions(settings: Settings): object {
  return {
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    assertJwtClientAuthClaimsAndHeader(_: Context, { exp }: { readonly exp: number }) {
      if (exp > Date.now() / 1000 + MAX_ASSERTION_S)
        throw new errors.InvalidClientAuth(`client_assertion must end within ${MAX_ASSERTION_S} s`)
    },
    clientDefaults: { id_token_signed_response_alg: ALGORITHM },
    extraClientMetadata: {
      // The library calls the validator once per name, with all metadata.
      properties: ['software_id'],
      validator(_: Context, _name: string, _value: unknown, metadata: Record<string, unknown>) {
        if (metadata['client_id'] === EXCHANGE_CLIENT_ID) return
        // The library's default needs a secret, which a public document cannot contain.
        if (isMetadataUrl(metadata['client_id']) && metadata['token_endpoint_auth_method'] === 'client_secret_basic')
          metadata['token_endpoint_auth_method'] = 'none'
        try {
          applyClientRules(metadata, settings)
        } catch (error) {
          throw new errors.InvalidClientMetadata((error as Error).message)
        }
      },
    },
    // For clients in browsers, such as the console and the Inspector: pages of their redirect URIs
    // are allowed.
    clientBasedCORS: (_: Context, origin: string, { redirectUris }: { readonly redirectUris: readonly string[] }) =>
      redirectUris.some(uri => URL.parse(uri)?.origin === origin),
  }
}

function createTtls({ ACCESS_TOKEN_TTL_MS, SIGN_IN_TTL_MS }: Settings): object {
  const signInS = Math.ceil(SIGN_IN_TTL_MS / 1000)
  return {
    AccessToken: Math.ceil(ACCESS_TOKEN_TTL_MS / 1000),
    AuthorizationCode: CODE_TTL_S,
    Grant: signInS,
    IdToken: CODE_TTL_S,
    Interaction: INTERACTION_TTL_S,
    // Counts from the sign-in, however often the token is replaced.
    RefreshToken: ({ oidc }: Context) => Math.max(1, oidc.entities.RotatedRefreshToken?.remainingTTL ?? signInS),
    Session: CODE_TTL_S,
  }
}

function createFeatures({ RESOURCE_URL, SCOPES, REDIRECT_HOSTS }: Settings, mayFetch: MayFetch): object {
  const canonical = new Map(RESOURCE_URL.map(url => [new URL(url).href, url]))
  const off = { enabled: false }
  return {
    clientCredentials: off,
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      // Without a context, a page asks for a client that was fetched before.
      allowFetch: async (context: Context | undefined, clientId: string) =>
        (REDIRECT_HOSTS === undefined || REDIRECT_HOSTS.includes(new URL(clientId).hostname)) &&
        (context === undefined || (await mayFetch(context.req))),
      allowClient: () => true,
      cacheDuration: DOCUMENT_CACHE_S,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_: Context, _client: unknown, oneOf?: readonly string[]) => {
        if (oneOf !== undefined) throw new errors.InvalidTarget('one resource at a time')
        return RESOURCE_URL[0]
      },
      useGrantedResource: () => true,
      getResourceServerInfo(_: Context, resource: string) {
        const audience = canonical.get(new URL(resource).href)
        if (audience === undefined) throw new errors.InvalidTarget('this server issues no tokens for that resource')
        return {
          audience,
          scope: [...SCOPES.keys()].join(' '),
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: ALGORITHM } },
        }
      },
    },
  }
}

/**
 * The library would remember who has signed in. Here, each request is a separate sign-in, so a
 * second client finds nothing that it could use.
 */
const forgetSessions: Middleware = async ({ req }, next) => {
  const kept = (req.headers.cookie ?? '').split('; ').filter(pair => !/^session(?:\.sig)?=/.test(pair))
  req.headers.cookie = kept.join('; ')
  await next()
}

/**
 * A client that names no scope asks for all, and its user gets those that the rules allow. RFC 6749,
 * 3.3.
 */
function askForAllByDefault(scopes: readonly string[]): Middleware {
  return async ({ path, query }, next) => {
    if (path === PATHS.authorization && !query['scope']) query['scope'] = scopes.join(' ')
    await next()
  }
}

/** The library publishes only its own scopes, but clients ask for those of the resource. */
function publishScopes(scopes: readonly string[]): Middleware {
  return async (context, next) => {
    await next()
    if (context.path.startsWith('/.well-known/') && context.status === 200)
      context.body = { ...(context.body as object), scopes_supported: [...scopes, 'offline_access'] }
  }
}

/**
 * Anybody can register a client with any address. So a link alone redirects nobody to a client, not
 * even with an error:
 * otherwise the link would borrow this server's name (RFC 9700, 4.11.2).
 */
function redirectNobodyUnasked({ origin }: URL): Middleware {
  return async (context, next) => {
    if (context.path !== PATHS.authorization) return next()
    const { response_mode: mode } = context.query
    if (mode !== undefined && mode !== 'query') return showError(context, 'response_mode has to be query.')
    // The library accepts several for the request, but none of them for the token.
    if (Array.isArray(context.query.resource)) return showError(context, 'One resource at a time.')
    await next()
    const target = URL.parse(context.response.get('location'), origin)
    if (context.response.get('location') === '' || target?.origin === origin) return
    context.remove('location')
    const description = target?.searchParams.get('error_description') ?? undefined
    const error = target?.searchParams.get('error') ?? 'error'
    const isBusy = error === 'temporarily_unavailable'
    showError(context, describeError({ error, error_description: description }), target?.href, isBusy ? 503 : 400)
  }
}

function showError(context: Context, what: string, back?: string, status = 400): void {
  context.status = status
  context.set({ ...PAGE_HEADERS })
  context.body = errorPage(what, back)
}
