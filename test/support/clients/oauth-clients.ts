// The official clients with their OAuth providers, both generations behind one face, and a journal of all they send.
import * as sdk2 from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseTransport1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Test } from 'tap'
import { VERSION } from '../app.ts'
import { authorize, type User } from './user-agent.ts'

export const CLIENTS = ['@modelcontextprotocol/client 2.x', '@modelcontextprotocol/sdk 1.x'] as const

export const REDIRECT_URL = 'http://127.0.0.1:9/callback'

export interface Sent {
  readonly verb: string
  readonly url: URL
  /** The method of a JSON-RPC message. */
  readonly method: string | undefined
  /** The members of a form. */
  readonly form: Record<string, string>
  readonly token: string | undefined
  readonly status: number
  /** `WWW-Authenticate` of the answer. */
  readonly challenge: string | undefined
}

export interface OAuthClient {
  /** Every request of the client, in order; authorizations, which its user makes, are among them. */
  readonly sent: Sent[]
  connect(): Promise<void>
  /** Goes on after the user has been asked. */
  finish(): Promise<void>
  listTools(): Promise<string[]>
  callTool(name: string): Promise<unknown>
  /** If it asked for `openid`. */
  idToken(): string | undefined
  /** From now on its access token is refused, as one that has expired is. */
  spoilToken(): void
}

interface Situation {
  /** Of the endpoint, or of HTTP+SSE. */
  readonly url: string
  readonly user: User
  /** How the user gets from there to the client; by the forms of `authorizationServer` if it is left out. */
  readonly authorize?: (start: URL) => Promise<URLSearchParams>
  /** Whether it asks for refresh tokens. */
  readonly refreshes?: boolean
  /** Of a client that is registered; without it the client registers itself. */
  readonly clientId?: string | undefined
}

export function oauthClient(t: Test, which: (typeof CLIENTS)[number], situation: Situation) {
  const { url, user, clientId, refreshes = false } = situation
  const goThrough = situation.authorize ?? (start => authorize(user, start, REDIRECT_URL))
  const sent: Sent[] = []
  const authorized: URLSearchParams[] = []
  const authProvider = memoryProvider(
    async start => {
      sent.push({ ...nothing, verb: 'GET', url: start, form: Object.fromEntries(start.searchParams), status: 303 })
      authorized.push(await goThrough(start))
    },
    { clientId, refreshes },
  )
  const options = { authProvider, fetch: journal(sent) }
  const open = () => (which === CLIENTS[0] ? open2(url, options) : open1(url, options))
  let current = open()
  t.teardown(() => current.client.close())
  return {
    sent,
    connect: () => current.connect(),
    async finish() {
      await current.finish(authorized.pop()!)
      if (current.isConnected) return
      current = open()
      await current.connect()
    },
    listTools: async () => (await current.client.listTools()).tools.map(({ name }) => name),
    callTool: async name => (await current.client.callTool({ name, arguments: {} })).content,
    idToken: () => authProvider.tokens()?.id_token,
    spoilToken: () => authProvider.saveTokens({ ...authProvider.tokens()!, access_token: 'spoilt' }),
  } satisfies OAuthClient
}

interface Options {
  readonly authProvider: ReturnType<typeof memoryProvider>
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
}

const isSse = (url: string) => new URL(url).pathname.endsWith('/sse')

function open2(url: string, options: Options) {
  const transport = isSse(url)
    ? new sdk2.SSEClientTransport(new URL(url), options)
    : new sdk2.StreamableHTTPClientTransport(new URL(url), options)
  const mode = isSse(url) ? ('legacy' as const) : { pin: VERSION }
  const client = new sdk2.Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const opened = { client, isConnected: false, connect, finish }
  async function connect() {
    await client.connect(transport)
    opened.isConnected = true
  }
  async function finish(answer: URLSearchParams) {
    await transport.finishAuth(answer)
  }
  return opened
}

function open1(url: string, options: Options) {
  const transport = isSse(url) ? new SseTransport1(new URL(url), options) : new Transport1(new URL(url), options)
  const client = new Client1({ name: 'test', version: '1.0.0' })
  const opened = { client, isConnected: false, connect, finish }
  async function connect() {
    await client.connect(transport)
    opened.isConnected = true
  }
  async function finish(answer: URLSearchParams) {
    await transport.finishAuth(answer.get('code')!)
  }
  return opened
}

/** Registers itself if it has no id, keeps everything in memory, and sends its user to `redirectToAuthorization`. */
function memoryProvider(
  redirectToAuthorization: (url: URL) => Promise<void>,
  { clientId, refreshes }: { readonly clientId: string | undefined; readonly refreshes: boolean },
) {
  const kept: { client?: sdk2.StoredOAuthClientInformation; tokens?: sdk2.StoredOAuthTokens; verifier?: string } = {
    ...(clientId !== undefined && { client: { client_id: clientId } }),
  }
  let discovered: sdk2.OAuthDiscoveryState | undefined
  return {
    redirectUrl: REDIRECT_URL,
    clientMetadata: {
      client_name: 'test',
      redirect_uris: [REDIRECT_URL],
      grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectToAuthorization,
    clientInformation: () => kept.client,
    saveClientInformation: (client: sdk2.StoredOAuthClientInformation) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens: sdk2.StoredOAuthTokens) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier!,
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    discoveryState: () => discovered,
    saveDiscoveryState: (state: sdk2.OAuthDiscoveryState) => void (discovered = state),
  }
}

const nothing = { method: undefined, form: {}, token: undefined, challenge: undefined }

function journal(sent: Sent[]): Options['fetch'] {
  return async (url, init) => {
    const response = await fetch(url, init)
    sent.push({
      verb: init?.method ?? 'GET',
      url: new URL(url),
      method: typeof init?.body === 'string' ? JSON.parse(init.body).method : undefined,
      form: init?.body instanceof URLSearchParams ? Object.fromEntries(init.body) : {},
      token: new Headers(init?.headers).get('authorization')?.replace('Bearer ', ''),
      status: response.status,
      challenge: response.headers.get('www-authenticate') ?? undefined,
    })
    return response
  }
}
