// The page's MCP client. Connects in the chosen revision, follows changes, and reconnects.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { QuestionQueue } from '../questions/question-queue.ts'
import { backoffMs, MAX_TRIES } from './backoff.ts'
import { CallLinks } from './call-links.ts'
import { ANY_RESULT, CAPABILITIES } from './capabilities.ts'
import type { ConsoleConfig } from './config.ts'
import type { ConnectionState, Lists, Notice } from './connection-state.ts'
import type { JsonObject, RawMessage } from './json-rpc.ts'
import type { ListChange } from './list-changes.ts'
import { LIST_KINDS, ListLoader } from './list-loader.ts'
import { type LoggedMessage, MessageLog } from './message-log.ts'
import { addOwnHeaders, type OwnHeader } from './own-headers.ts'
import { describeProblem } from './problem.ts'
import { CALL_HEADER, createRecordingFetch } from './recording-fetch.ts'
import { type RevisionChoice, toClientOptions } from './revisions.ts'
import { append, Store } from './store.ts'

/** The longest timer of a browser: requests never time out, because people answer questions slowly. */
const NO_TIMEOUT_MS = 2 ** 31 - 1
const MAX_NOTICES = 20
const CLIENT = { name: 'toolrack-console', title: 'Toolrack console', version: '1.0.0' }

export interface Request {
  readonly method: string
  readonly params?: JsonObject
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly callId?: number
  readonly headers?: Record<string, string>
  readonly isFollowed?: boolean
}

type Listener = (message: RawMessage, logged: LoggedMessage, text: string) => void

export class Connection {
  readonly state = new Store<ConnectionState>({ status: 'connecting', follows: false })
  readonly notices = new Store<readonly Notice[]>([])
  readonly log = new MessageLog()
  readonly questions = new QuestionQueue()
  readonly links = new CallLinks()
  readonly ownHeaders = new Store<readonly OwnHeader[]>([])
  readonly config: ConsoleConfig
  readonly #fetch: typeof fetch
  readonly #listeners = new Set<Listener>()
  readonly #loader = new ListLoader((...notice) => this.#notify(...notice))
  #choice: RevisionChoice
  #client: Client | undefined
  #transport: StreamableHTTPClientTransport | undefined
  #skipWait: (() => void) | undefined
  #round = 0
  #noticeId = 0
  #requestId = 0

  /** @param fetch adds the user's token */
  constructor(config: ConsoleConfig, fetch: typeof globalThis.fetch, choice: RevisionChoice = 'auto') {
    this.config = config
    this.#fetch = (input, init) => fetch(input, addOwnHeaders(init, this.ownHeaders.get()))
    this.#choice = choice
  }

  get lists(): Store<Lists> {
    return this.#loader.lists
  }

  get choice(): RevisionChoice {
    return this.#choice
  }

  /** Connects, and ends an earlier session. */
  async connect(choice: RevisionChoice = this.#choice): Promise<void> {
    this.#choice = choice
    const round = ++this.#round
    const { brokenAt } = this.state.get()
    this.state.set({ status: 'connecting', follows: false, brokenAt })
    await this.#endSession()
    await this.#close()
    try {
      await this.#open(round)
    } catch (error) {
      if (round === this.#round) this.#fail(error)
    }
  }

  /** Connects now, without waiting for the next attempt. */
  tryNow(): void {
    if (this.#skipWait === undefined) void this.connect()
    else this.#skipWait()
  }

  /** The page is closed. Ends the session, so that the server need not keep it. */
  leave(): void {
    void this.#endSession({ keepalive: true })
  }

  /** Removes data of the user: messages, notices, own headers. */
  forget(): void {
    this.log.clear()
    this.notices.set([])
    this.ownHeaders.set([])
  }

  /** Sends a request of any method, and returns its result unchanged. */
  request(request: Request, { signal, callId, headers, isFollowed = false }: RequestOptions = {}): Promise<JsonObject> {
    if (this.#client === undefined) return Promise.reject(new Error('Not connected'))
    const marked = callId === undefined ? headers : { ...headers, [CALL_HEADER]: String(callId) }
    return this.#client.request(request as never, ANY_RESULT, {
      timeout: NO_TIMEOUT_MS,
      signal,
      headers: marked,
      // This asks for progress, which is read from the raw messages.
      ...(isFollowed && { onprogress: () => {} }),
    }) as Promise<JsonObject>
  }

  /** An id for the messages of a request that is not a tool call. */
  createRequestId(): number {
    return --this.#requestId
  }

  /** Subscribes to changes of a resource, which arrive as messages. @returns ends it */
  async watch(uri: string): Promise<() => void> {
    const client = this.#client
    if (client === undefined) throw new Error('Not connected')
    if (client.getProtocolEra() === 'legacy') {
      await client.subscribeResource({ uri })
      return () => void client.unsubscribeResource({ uri }).catch(() => {})
    }
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    return () => void subscription.close()
  }

  /** @returns ends it */
  onMessage(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  dismiss(id: number): void {
    this.notices.update(notices => notices.filter(notice => notice.id !== id))
  }

  async #open(round: number): Promise<void> {
    const client = new Client(CLIENT, {
      ...toClientOptions(this.#choice),
      capabilities: CAPABILITIES,
      inputRequired: { maxRounds: 100 },
    })
    this.#handle(client)
    const transport = new StreamableHTTPClientTransport(new URL(this.config.endpoint, document.baseURI), {
      fetch: this.#record(round),
    })
    await client.connect(transport)
    // Before a user can call a tool: an earlier call would have no log entries.
    if (client.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging)
      await client.setLoggingLevel('debug').catch(() => {})
    if (round !== this.#round) return client.close()
    this.#use(client, transport)
    this.state.set(describeConnected(client, transport))
    if (client.getProtocolEra() === 'modern') void this.#follow(client, round)
    await this.#loader.loadAll()
  }

  /** Records every message, and reconnects when the server is lost. */
  #record(round: number): typeof fetch {
    return createRecordingFetch({
      log: this.log,
      links: this.links,
      fetch: this.#fetch,
      onMessage: (message, logged, text) => {
        for (const listener of this.#listeners) listener(message, logged, text)
      },
      onAnswer: (request, status) => {
        const hasLostStream = status === undefined && request.method === 'GET'
        const hasLostSession = status === 404 && request.headers.has('mcp-session-id')
        if (hasLostStream || hasLostSession) void this.#reconnect(round)
      },
    })
  }

  #handle(client: Client): void {
    for (const kind of LIST_KINDS)
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void this.#loader.load(kind))
    for (const method of ['elicitation/create', 'sampling/createMessage'] as const)
      client.setRequestHandler(method, ({ params }, { mcpReq }) =>
        this.questions.ask(method, params as JsonObject, mcpReq.signal, this.links.findAsking(mcpReq.id)),
      )
  }

  /** Listens for changes until the stream ends, then reconnects. */
  async #follow(client: Client, round: number): Promise<void> {
    try {
      const { closed } = await client.listen({
        toolsListChanged: true,
        resourcesListChanged: true,
        promptsListChanged: true,
      })
      if (round === this.#round) this.state.update(state => ({ ...state, follows: true }))
      if ((await closed) !== 'local') void this.#reconnect(round)
    } catch (error) {
      // The server works without this. The state shows that lists are not followed.
      if (round === this.#round) this.#notify('Changes are not followed.', describeProblem(error).detail)
    }
  }

  async #reconnect(lost: number): Promise<void> {
    if (lost !== this.#round) return
    const round = ++this.#round
    this.state.update(state => ({ ...state, status: 'reconnecting', follows: false, brokenAt: Date.now() }))
    await this.#close()
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      await this.#wait(attempt)
      if (round !== this.#round) return
      try {
        return await this.#open(round)
      } catch (error) {
        if (round !== this.#round) return
        if (describeProblem(error).status === 401 || attempt === MAX_TRIES - 1) return this.#fail(error)
      }
    }
  }

  /** Waits until the next attempt, or until the user clicks Try now. */
  async #wait(attempt: number): Promise<void> {
    const ms = backoffMs(attempt)
    this.state.update(state => ({
      ...state,
      retry: { attempt: attempt + 1, of: MAX_TRIES, at: Date.now() + ms },
    }))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#skipWait = resolve
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
    this.#skipWait = undefined
  }

  #fail(error: unknown): void {
    this.state.update(({ retry: _, ...state }) => ({
      ...state,
      status: 'failed',
      follows: false,
      problem: describeProblem(error),
      brokenAt: state.brokenAt ?? Date.now(),
    }))
  }

  /** Spec 2025-11-25: basic/transports, "Session Management". The session may be gone already. */
  async #endSession(init: RequestInit = {}): Promise<void> {
    const { sessionId, protocolVersion } = this.#transport ?? {}
    if (sessionId === undefined) return
    const headers = { 'mcp-session-id': sessionId, ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }) }
    const endpoint = new URL(this.config.endpoint, document.baseURI)
    await this.#fetch(endpoint, { method: 'DELETE', headers, ...init }).catch(() => {})
  }

  #use(client: Client | undefined, transport: StreamableHTTPClientTransport | undefined): void {
    this.#client = client
    this.#transport = transport
    this.#loader.use(client)
  }

  async #close(): Promise<void> {
    const client = this.#client
    this.#use(undefined, undefined)
    // The connection may be closed already.
    await client?.close().catch(() => {})
  }

  #notify(title: string, text: string, change?: ListChange): void {
    this.notices.update(notices => append(notices, { id: ++this.#noticeId, title, text, change }, MAX_NOTICES))
  }
}

const describeConnected = (client: Client, transport: StreamableHTTPClientTransport): ConnectionState => ({
  status: 'connected',
  follows: client.getProtocolEra() === 'legacy',
  era: client.getProtocolEra(),
  revision: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  capabilities: client.getServerCapabilities(),
  session: transport.sessionId,
})
