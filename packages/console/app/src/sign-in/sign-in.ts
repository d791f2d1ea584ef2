// Signs the user in, by OAuth in a separate window, or with a token that the user pastes. Tokens
// stay in memory, and go to this page's origin only.
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { Store } from '../client/store.ts'
import { type AuthorizationConfig, authorize, type Challenge, describeFailure, refreshTokens } from './authorize.ts'
import { ClientIdNeeded, MemoryProvider } from './provider.ts'
import { revoke } from './revoke.ts'
import { type Fault, SIGNED_OUT, type SignInState } from './state.ts'
import { describeRefusal, describeStrange } from './token-words.ts'
import { askWho } from './who.ts'

export interface SignInConfig extends AuthorizationConfig {
  readonly access: 'open' | 'token'
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
  #refreshing: Promise<void> | undefined
  #waiting: AbortController | undefined
  /** The latest challenge. */
  #challenge: Challenge = {}

  constructor(config: SignInConfig) {
    this.config = config
    const redirectUrl = new URL('callback.html', document.baseURI).href
    this.#provider = new MemoryProvider({ redirectUrl, resource: config.resource })
  }

  /**
   * The page's fetch, with the token for URLs of this origin. Refreshes the token, and notes
   * refusals of the server.
   */
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

  /**
   * Opens the window of the authorization server. Call it from a click. Never rejects: `state` has
   * the result.
   */
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
      if (this.#challenge.resourceMetadataUrl === undefined) await this.#probe()
      await authorize({
        provider: this.#provider,
        config: this.config,
        challenge: this.#challenge,
        missing: this.state.get().missing,
        popup,
        signal: waiting.signal,
      })
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

  /** Stops waiting for the window. */
  cancel(): void {
    this.#waiting?.abort()
  }

  /** A token from elsewhere, such as `toolrack token`. */
  useToken(pasted: string): void {
    const token = pasted.trim().replace(/^Bearer\s+/i, '')
    const text = describeStrange(token)
    if (text !== undefined) {
      this.state.update(state => ({ ...state, problem: { via: 'token', text } }))
      return
    }
    this.#revoke()
    this.#pasted = token
    this.#show()
  }

  /** Uses a client that the operator of the authorization server has registered for this page. */
  useClientId(clientId: string): void {
    this.#provider.clientId = clientId.trim() || undefined
  }

  /** Forgets the tokens, and revokes them if the authorization server can. */
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

  /** The URL to which the authorization server must return. */
  get redirectUrl(): string {
    return this.#provider.redirectUrl
  }

  get #token(): string | undefined {
    return this.#pasted ?? this.#provider.current?.access_token
  }

  /** Gives up the tokens, and the server's challenge. */
  #revoke(): void {
    void revoke(this.#provider)
    this.#forget()
    this.#challenge = {}
  }

  #forget(): void {
    this.#pasted = undefined
    this.#provider.invalidateCredentials('tokens')
  }

  #show(): void {
    const scopes = this.#pasted === undefined ? toScopes(this.#provider.current?.scope) : []
    const via = this.#pasted === undefined ? 'oauth' : 'token'
    this.state.update(({ tokens }) => ({ ...SIGNED_OUT, status: 'signed-in', via, scopes, tokens: tokens + 1 }))
    void this.#learnWho(this.#token!)
  }

  /** Without an answer, the page just says that somebody is signed in. */
  async #learnWho(token: string): Promise<void> {
    const known = await askWho(token)
    if (known === undefined || this.#token !== token) return
    const { who, scopes } = known
    this.state.update(state => ({ ...state, who, scopes: scopes ?? state.scopes }))
  }

  #fail(text: string, needsClientId = this.state.get().needsClientId): void {
    const status = this.#token === undefined ? 'signed-out' : 'signed-in'
    this.state.update(state => ({ ...state, status, problem: { via: 'oauth', text }, needsClientId }))
  }

  /** The server's 401 names the URL of its metadata. */
  async #probe(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(this.config.endpoint, { method: 'POST', headers, body })
    if (response.status === 401) this.#noteChallenge(response)
  }

  /** One at a time. @returns whether there is now another token than the `used` one */
  async #refresh(used: string | undefined): Promise<boolean> {
    if (this.#pasted === undefined && this.#token === used) {
      this.#refreshing ??= refreshTokens(this.#provider, this.config.resource).finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
    return this.#token !== undefined && this.#token !== used
  }

  #noteChallenge(response: Response): void {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    this.#challenge = { resourceMetadataUrl, scope }
    this.state.update(state => ({ ...state, asked: toScopes(scope) }))
  }

  /** The server refuses the token that was used, and there is no newer one. */
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

/** The page must not close a window of another origin; that window closes itself when it comes back. */
function closeIfOurs(popup: Window): void {
  try {
    if (popup.location.href !== '') popup.close()
  } catch {
    // The address of another origin is not readable.
  }
}

const toScopes = (scope: string | undefined): string[] => scope?.split(' ').filter(each => each !== '') ?? []

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}
