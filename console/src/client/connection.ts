// The page's MCP client: connects in the chosen revision, follows the lists, and connects again.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { QuestionQueue } from '../questions/question-queue.ts'
import { backoffMs, MAX_TRIES } from './backoff.ts'
import { CallLinks } from './call-links.ts'
import { ANY_RESULT, CAPABILITIES } from './capabilities.ts'
import type { ConsoleConfig } from './config.ts'
import type { ConnectionState, Lists, Notice } from './connection-state.ts'
import type { JsonObject, RawMessage } from './json-rpc.ts'
import { findChange, type ListChange } from './list-changes.ts'
import { type LoggedMessage, MessageLog } from './message-log.ts'
import { addOwnHeaders, type OwnHeader } from './own-headers.ts'
import { describeProblem } from './problem.ts'
import { CALL_HEADER, createRecordingFetch } from './recording-fetch.ts'
import { type RevisionChoice, toClientOptions } from './revisions.ts'
import { append, Store } from './store.ts'

/** Requests never time out, since people answer questions slowly. The longest timer of a browser. */
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
  readonly lists = new Store<Lists>({})
  readonly notices = new Store<readonly Notice[]>([])
  readonly log = new MessageLog()
  readonly questions = new QuestionQueue()
  readonly links = new CallLinks()
  readonly ownHeaders = new Store<readonly OwnHeader[]>([])
  readonly config: ConsoleConfig
  readonly #fetch: typeof fetch
  readonly #listeners = new Set<Listener>()
  readonly #loading = new Map<string, Promise<void>>()
  readonly #stale = new Set<string>()
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

  get choice(): RevisionChoice {
    return this.#choice
  }

  /** Connects, and ends the session before, if there is one. */
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

  /** Does not wait for the next try. */
  tryNow(): void {
    if (this.#skipWait === undefined) void this.connect()
    else this.#skipWait()
  }

  /** The page goes: the server need not keep its session until it expires. */
  leave(): void {
    void this.#endSession({ keepalive: true })
  }

  /** What was the user's: messages, notices, own headers. */
  forget(): void {
    this.log.clear()
    this.notices.set([])
    this.ownHeaders.set([])
  }

  /** Sends a request of any method, and returns its result as it came. */
  request(request: Request, { signal, callId, headers, isFollowed = false }: RequestOptions = {}): Promise<JsonObject> {
    if (this.#client === undefined) return Promise.reject(new Error('Not connected'))
    const marked = callId === undefined ? headers : { ...headers, [CALL_HEADER]: String(callId) }
    return this.#client.request(request as never, ANY_RESULT, {
      timeout: NO_TIMEOUT_MS,
      signal,
      headers: marked,
      // Progress is read from the raw messages; this asks for it.
      ...(isFollowed && { onprogress: () => {} }),
    }) as Promise<JsonObject>
  }

  /** Marks the messages of a request other than a tool call. */
  createRequestId(): number {
    return --this.#requestId
  }

  /** Asks to hear of changes of a resource: they come as messages. @returns ends it */
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
    const fetch = createRecordingFetch({
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
    const transport = new StreamableHTTPClientTransport(new URL(this.config.endpoint, document.baseURI), { fetch })
    await client.connect(transport)
    // Set before a user can call a tool: an earlier call would have no log entries.
    if (client.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging)
      await client.setLoggingLevel('debug').catch(() => {})
    if (round !== this.#round) return client.close()
    this.#client = client
    this.#transport = transport
    const server = client.getServerVersion()
    const era = client.getProtocolEra()
    this.state.set({
      status: 'connected',
      follows: era === 'legacy',
      era,
      revision: client.getNegotiatedProtocolVersion(),
      server,
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
      session: transport.sessionId,
    })
    if (era === 'modern') void this.#follow(client, round)
    await this.reload()
  }

  #handle(client: Client): void {
    for (const kind of ['tools', 'resources', 'prompts'] as const)
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void this.#load(kind))
    for (const method of ['elicitation/create', 'sampling/createMessage'] as const)
      client.setRequestHandler(method, ({ params }, { mcpReq }) =>
        this.questions.ask(method, params as JsonObject, mcpReq.signal, this.links.findAsking(mcpReq.id)),
      )
  }

  /** Loads every list that the server has. */
  async reload(): Promise<void> {
    await Promise.all((['tools', 'resources', 'prompts'] as const).map(kind => this.#load(kind)))
  }

  /** One load at a time; a change during a load leads to one more. */
  async #load(kind: 'tools' | 'resources' | 'prompts'): Promise<void> {
    if (this.#loading.has(kind)) {
      this.#stale.add(kind)
      return this.#loading.get(kind)
    }
    const round = this.#round
    const loading = this.#read(kind).catch((error: unknown) => {
      // Connecting again closes the old client, and its requests fail. The user need not know.
      if (round === this.#round) this.#notify(`The ${kind} could not be read.`, describeProblem(error).detail)
    })
    this.#loading.set(kind, loading)
    await loading
    this.#loading.delete(kind)
    if (this.#stale.delete(kind)) await this.#load(kind)
  }

  async #read(kind: 'tools' | 'resources' | 'prompts'): Promise<void> {
    const client = this.#client
    if (client === undefined) return
    if (client.getServerCapabilities()?.[kind] === undefined) {
      this.lists.update(lists => ({ ...lists, [kind]: [], ...(kind === 'resources' && { templates: [] }) }))
      return
    }
    const fresh = { cacheMode: 'refresh' } as const
    const before = this.lists.get()
    const read = {
      tools: async (): Promise<Lists> => ({ tools: (await client.listTools(undefined, fresh)).tools }),
      resources: async (): Promise<Lists> => ({
        resources: (await client.listResources(undefined, fresh)).resources,
        templates: (await client.listResourceTemplates(undefined, fresh)).resourceTemplates,
      }),
      prompts: async (): Promise<Lists> => ({ prompts: (await client.listPrompts(undefined, fresh)).prompts }),
    }
    const loaded = await read[kind]()
    this.lists.update(lists => ({ ...lists, ...loaded }))
    for (const key of Object.keys(loaded) as (keyof Lists)[]) {
      const old = before[key]
      const list = loaded[key]
      const change = old && list && findChange(old, list)
      if (change) this.#notify(`${TITLES[key]} changed.`, summarize(change), change)
    }
  }

  /** Listens for changes until the stream ends, then connects again. */
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
      // The server can be used without this; the state says that lists are not followed.
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

  /** Until the next try, or until the user wants it now. */
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

  /** Spec 2025-11-25: basic/transports, "Session Management". It may be gone already. */
  async #endSession(init: RequestInit = {}): Promise<void> {
    const { sessionId, protocolVersion } = this.#transport ?? {}
    if (sessionId === undefined) return
    const headers = { 'mcp-session-id': sessionId, ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }) }
    const endpoint = new URL(this.config.endpoint, document.baseURI)
    await this.#fetch(endpoint, { method: 'DELETE', headers, ...init }).catch(() => {})
  }

  async #close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#transport = undefined
    // It may be gone already.
    await client?.close().catch(() => {})
  }

  #notify(title: string, text: string, change?: ListChange): void {
    this.notices.update(notices => append(notices, { id: ++this.#noticeId, title, text, change }, MAX_NOTICES))
  }
}

const TITLES: Readonly<Record<keyof Lists, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Resource templates',
  prompts: 'Prompts',
}

/** "2 added, 1 removed" */
const summarize = (change: ListChange): string =>
  Object.entries(change)
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${names.length} ${verb}`)
    .join(', ')
