// Signs the user in, by OAuth in a window of its own or with a token that the user pastes.
// Tokens live in memory only, and go to this page's origin only.
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  type OAuthProtectedResourceMetadata,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { Store } from '../client/store.ts'
import { receiveAnswer } from './channel.ts'
import { ClientIdNeeded, MemoryProvider } from './provider.ts'
import { revoke } from './revoke.ts'
import { describeRefusal, readPersonName } from './token-words.ts'

export interface SignInConfig {
  /** The MCP endpoint, on this page's origin. */
  readonly endpoint: string
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly access: 'open' | 'token'
}

export interface SignInState {
  readonly status: 'signed-out' | 'waiting' | 'signed-in'
  readonly via?: 'oauth' | 'token'
  /** What the token allows, as far as the authorization server said so. */
  readonly scopes: readonly string[]
  /** Scopes that a refused request needed beside those. */
  readonly missing: readonly string[]
  /** Scopes that the server's challenge names: the authorization server will be asked for them. */
  readonly asked: readonly string[]
  /** The authorization server does not register this page as a client. */
  readonly needsClientId: boolean
  readonly problem?: Fault
  /** `null` if the server does not say. */
  readonly who?: Who | null
  /** Counts the tokens that the user has got: with another one the server may show other tools. */
  readonly tokens: number
}

/** What went wrong, and with which way to sign in. */
export interface Fault {
  readonly via: 'oauth' | 'token'
  readonly text: string
}

/** As whom the user is in. */
export interface Who {
  /** What to call them. Others may be called the same. */
  readonly name: string
  /** The subject of the token, or the name of the key: one for each user of an issuer. */
  readonly subject: string
  readonly issuer?: string | undefined
  /** Unix time in ms. */
  readonly expiresAt?: number | undefined
}

const SIGNED_OUT: Omit<SignInState, 'tokens'> = {
  status: 'signed-out',
  scopes: [],
  missing: [],
  asked: [],
  needsClientId: false,
}

/** A token that expires within this time is refreshed before it is used, ms. */
const REFRESH_MS = 30_000

const POPUP = 'popup,width=520,height=680'

export const createSignIn = (config: SignInConfig): SignIn => new SignIn(config)

export class SignIn {
  readonly state = new Store<SignInState>({ ...SIGNED_OUT, tokens: 0 })
  readonly config: SignInConfig
  readonly #provider: MemoryProvider
  #pasted: string | undefined
  #refreshing: Promise<boolean> | undefined
  #waiting: AbortController | undefined
  /** Of the last challenge: what the server asks for. */
  #challenged: { readonly resourceMetadataUrl?: URL; readonly scope?: string } = {}

  constructor(config: SignInConfig) {
    this.config = config
    const redirectUrl = new URL('callback.html', document.baseURI).href
    this.#provider = new MemoryProvider({ redirectUrl, resource: config.resource })
  }

  /** The page's fetch, with the token for what is on this origin; refreshes it, and notes what the server refuses. */
  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, document.baseURI)
    if (url.origin !== window.location.origin) return fetch(input, init)
    if (this.#provider.expires(REFRESH_MS)) await this.#refresh(this.#token)
    const used = this.#token
    const response = await fetch(input, withToken(init, used))
    if (response.status === 403) this.#noteForbidden(response)
    if (response.status !== 401) return response
    this.#noteChallenge(response)
    if (await this.#refresh(used)) return fetch(input, withToken(init, this.#token))
    this.#noteRefused(used, response)
    return response
  }

  /** Opens the window of the authorization server; call it from a click. Never rejects: `state` says how it went. */
  async signIn(): Promise<void> {
    this.cancel()
    const popup = window.open('', '', POPUP)
    if (popup === null) return this.#fail('The browser blocked the window. Allow pop-ups for this page, and try again.')
    // With an opener, the authorization server's page could navigate this one.
    popup.opener = null
    const waiting = new AbortController()
    this.#waiting = waiting
    const before = this.state.get()
    this.state.set({ ...before, status: 'waiting', problem: undefined })
    try {
      await this.#authorize(popup, waiting.signal)
      this.#pasted = undefined
      this.#show()
    } catch (error) {
      if (waiting.signal.aborted) this.state.set(before)
      else this.#fail(describeFailure(error), error instanceof ClientIdNeeded)
    } finally {
      closeIfOurs(popup)
      if (this.#waiting === waiting) this.#waiting = undefined
    }
  }

  /** Ends the waiting for the window. */
  cancel(): void {
    this.#waiting?.abort()
  }

  /** A token from elsewhere, such as `toolrack token`. */
  useToken(token: string): void {
    this.#revoke()
    this.#pasted = token.trim().replace(/^Bearer\s+/i, '')
    this.#show()
  }

  /** A client that the operator of the authorization server has registered for this page. */
  useClientId(clientId: string): void {
    this.#provider.clientId = clientId.trim() || undefined
  }

  /** Forgets the tokens, and revokes them where the authorization server can. */
  signOut(): void {
    this.cancel()
    this.#revoke()
    this.state.update(({ tokens }) => ({ ...SIGNED_OUT, tokens }))
  }

  /** The authorization server, by its host. */
  get authority(): string | undefined {
    const [server] = this.config.authorizationServers
    return server === undefined ? undefined : new URL(server).host
  }

  /** Where the authorization server has to return to. */
  get redirectUrl(): string {
    return this.#provider.redirectUrl
  }

  get #token(): string | undefined {
    return this.#pasted ?? this.#provider.current?.access_token
  }

  /** The user gives the tokens up, and what the server asked of them. */
  #revoke(): void {
    void revoke(this.#provider)
    this.#forget()
    this.#challenged = {}
  }

  #forget(): void {
    this.#pasted = undefined
    this.#provider.invalidateCredentials('tokens')
  }

  #show(): void {
    const scopes = this.#pasted === undefined ? toScopes(this.#provider.current?.scope) : []
    const via = this.#pasted === undefined ? 'oauth' : 'token'
    this.state.update(({ tokens }) => ({ ...SIGNED_OUT, status: 'signed-in', via, scopes, tokens: tokens + 1 }))
    void this.#learnWho()
  }

  /** Asks the server as whom the user is in. Without an answer the page says that somebody is. */
  async #learnWho(): Promise<void> {
    const token = this.#token!
    try {
      const response = await fetch(new URL('api/me', document.baseURI), withToken({}, token))
      // The next request says what is wrong with the token.
      if (response.status === 401 || this.#token !== token) return
      if (!response.ok) throw new Error(response.statusText)
      const { name: subject, issuer, scopes, expiresAt } = (await response.json()) as Me
      if (this.#token !== token) return
      const who =
        subject === undefined
          ? null
          : {
              name: readPersonName(token) ?? subject,
              subject,
              issuer,
              expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
            }
      this.state.update(state => ({ ...state, who, scopes: scopes ?? state.scopes }))
    } catch {
      if (this.#token === token) this.state.update(state => ({ ...state, who: null }))
    }
  }

  #fail(text: string, needsClientId = this.state.get().needsClientId): void {
    const status = this.#token === undefined ? 'signed-out' : 'signed-in'
    this.state.update(state => ({ ...state, status, problem: { via: 'oauth', text }, needsClientId }))
  }

  async #authorize(popup: Window, signal: AbortSignal): Promise<void> {
    const provider = this.#provider
    await this.#prepareDiscovery()
    const scope = computeScopeUnion(this.#challenged.scope, provider.current?.scope, this.state.get().missing.join(' '))
    // A client that registered for fewer scopes cannot ask for more.
    if (this.state.get().missing.length > 0) provider.invalidateCredentials('client')
    const options = { serverUrl: new URL(this.config.endpoint), scope, fetchFn: this.#fetchOfAuth }
    const { resourceMetadataUrl } = this.#challenged
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

  /** Learns from the server's 401 where its metadata are. */
  async #prepareDiscovery(): Promise<void> {
    if (this.#challenged.resourceMetadataUrl === undefined) await this.#probe()
    const { resourceMetadataUrl } = this.#challenged
    const [authorizationServerUrl] = this.config.authorizationServers
    const isHere = resourceMetadataUrl === undefined || resourceMetadataUrl.origin === window.location.origin
    if (isHere || authorizationServerUrl === undefined || this.#provider.discovered !== undefined) return
    // The metadata are on the host that clients use. This page may only ask its own host, where the
    // same server answers.
    const resourceMetadata = await readMetadata(resourceMetadataUrl.pathname, this.config)
    this.#provider.discovered = { authorizationServerUrl, resourceMetadata }
  }

  async #probe(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(this.config.endpoint, { method: 'POST', headers, body })
    if (response.status === 401) this.#noteChallenge(response)
  }

  /** If the browser may not register this page as a client, the operator has to do it. */
  readonly #fetchOfAuth = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const registration = this.#provider.discovered?.authorizationServerMetadata?.registration_endpoint
    try {
      return await fetch(input, init)
    } catch (error) {
      if (String(input) === registration) throw new ClientIdNeeded()
      throw error
    }
  }

  /** One at a time. @returns whether there is another token than the one that was `used` */
  #refresh(used: string | undefined): Promise<boolean> {
    if (this.#token !== used) return Promise.resolve(this.#token !== undefined)
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refreshOnce(): Promise<boolean> {
    const { current, discovered, client, clientId } = this.#provider
    const refreshToken = current?.refresh_token
    if (this.#pasted !== undefined || refreshToken === undefined || discovered === undefined) return false
    try {
      const tokens = await refreshAuthorization(discovered.authorizationServerUrl, {
        metadata: discovered.authorizationServerMetadata,
        clientInformation: clientId === undefined ? client! : { client_id: clientId },
        refreshToken,
        resource: this.config.resource,
      })
      // Signed out, or in again, in the meantime.
      if (this.#provider.current !== current) return this.#token !== undefined
      this.#provider.saveTokens({ scope: current!.scope, ...tokens, issuer: current!.issuer })
      return true
    } catch {
      // The server's 401 then says that the user has to sign in again.
      return false
    }
  }

  #noteChallenge(response: Response): void {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    this.#challenged = { resourceMetadataUrl, scope }
    this.state.update(state => ({ ...state, asked: toScopes(scope) }))
  }

  /** The server refuses the token that was used, and there is no other. */
  #noteRefused(used: string | undefined, response: Response): void {
    if (used === undefined || used !== this.#token) return
    const problem: Fault =
      this.#pasted === undefined
        ? { via: 'oauth', text: 'Your sign-in has ended. Sign in again.' }
        : { via: 'token', text: describeRefusal(used, extractWWWAuthenticateParams(response).errorDescription) }
    this.#forget()
    this.state.update(({ asked, tokens }) => ({ ...SIGNED_OUT, asked, tokens, problem }))
  }

  #noteForbidden(response: Response): void {
    const { error, scope } = extractWWWAuthenticateParams(response)
    if (error !== 'insufficient_scope') return
    const { scopes } = this.state.get()
    const missing = toScopes(scope).filter(each => !scopes.includes(each))
    this.state.update(state => ({ ...state, missing }))
  }
}

/** The window of another origin is not for this page to close; it closes itself when it comes back. */
function closeIfOurs(popup: Window): void {
  try {
    if (popup.location.href !== '') popup.close()
  } catch {
    // The address of another origin cannot be read.
  }
}

/** What the server says at this path, or what the page knows of it, where a proxy has moved the path. */
async function readMetadata(path: string, { resource, authorizationServers }: SignInConfig) {
  const known: OAuthProtectedResourceMetadata = { resource, authorization_servers: [...authorizationServers] }
  const response = await fetch(path)
  if (!response.ok) return known
  const { scopes_supported } = (await response.json()) as OAuthProtectedResourceMetadata
  return { ...known, scopes_supported }
}

/** `GET api/me`; without access control it has nobody. */
interface Me {
  readonly name?: string
  readonly issuer?: string
  readonly scopes?: readonly string[]
  readonly expiresAt?: string
}

const toScopes = (scope: string | undefined): string[] => scope?.split(' ').filter(each => each !== '') ?? []

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

function describeFailure(error: unknown): string {
  if (error instanceof ClientIdNeeded) {
    return 'The authorization server does not register this page. Enter the id of a client that its operator registered.'
  }
  if (error instanceof OAuthError) return `The authorization server refused: ${error.message}`
  if (error instanceof TypeError) {
    return `The authorization server cannot be reached from this page. It has to allow the origin ${window.location.origin}.`
  }
  return error instanceof Error ? error.message : String(error)
}
