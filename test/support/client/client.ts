// The MCP client of the tests, in a session or without one, of any revision. It checks every message that it receives
// against the official schema of its revision.
import { type CallOptions, defined, mirrored, request, VERSION } from '../request.ts'
import { wireOf } from '../wire/legacy.ts'
import type { WireMessage } from '../wire/modern.ts'
import type { TestReply } from './reply.ts'
import type { Headers, HttpRequest, Place, Transport } from './transport.ts'

/** The newest revision that has sessions. */
export const NEWEST = '2025-11-25'
/** What a client says that can be asked everything. */
export const ABLE = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } }

let ids = 0
export const nextId = () => `r${++ids}`

export interface ClientOptions extends Pick<CallOptions, 'capabilities' | 'meta'> {
  readonly revision?: string
  /** Of all requests. */
  readonly headers?: Headers
  readonly sessionId?: string
  /** Methods by request id, which a client of the same session has in common. */
  readonly methods?: Map<string | number, string>
}

export interface Opening {
  revision?: string
  capabilities?: object
  headers?: Headers
}

export const initializing = ({ revision = NEWEST, capabilities = ABLE }: Opening = {}, id: string = nextId()) => ({
  jsonrpc: '2.0' as const,
  id,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1.0.0' } },
})

interface Message {
  readonly jsonrpc: string
  readonly id?: string | number | undefined
  readonly method: string
  readonly params?: object | undefined
}

export class McpTestClient {
  readonly transport: Transport
  readonly revision: string
  /** Of its session. */
  readonly id: string
  readonly #options: ClientOptions
  /** By request id, so that a resumed stream can be checked, too. */
  readonly #methods: Map<string | number, string>

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.transport = transport
    this.#options = options
    this.revision = options.revision ?? NEWEST
    this.id = options.sessionId ?? ''
    this.#methods = options.methods ?? new Map()
  }

  /** The same session, at another place of the server. */
  at(place: Place): McpTestClient {
    return new McpTestClient(this.transport.to(place), { ...this.#options, methods: this.#methods })
  }

  /** The same session, with other headers. */
  as(headers: Headers): McpTestClient {
    return new McpTestClient(this.transport, { ...this.#options, methods: this.#methods, headers })
  }

  headers(over: Headers = {}): Record<string, string> {
    return defined(this.#headers(over))
  }

  #headers(over: Headers): Headers {
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': this.id === '' ? undefined : this.id,
      'mcp-protocol-version': this.revision >= '2025-06-18' ? this.revision : undefined,
      ...this.#options.headers,
      ...over,
    }
  }

  readonly check = (message: WireMessage): WireMessage =>
    wireOf(this.revision)(message, message.method === undefined ? this.#methods.get(message.id!) : undefined)

  request(method: string, params?: object, id?: string | number): Message {
    const { capabilities = {}, meta = {} } = this.#options
    const message: Message =
      this.revision === VERSION
        ? request(method, { ...params }, { capabilities, meta, ...(id !== undefined && { id }) }).message
        : { jsonrpc: '2.0', id: id ?? nextId(), method, params }
    this.#methods.set(message.id!, method)
    return message
  }

  /** One message, or a batch. @returns the reply once it has ended */
  send(message: object, over: Headers = {}): Promise<TestReply> {
    return this.transport.send(this.#posted(message, over))
  }

  /** The same, over a connection of its own. @returns the reply once its head is there */
  post(message: object, over: Headers = {}): Promise<TestReply> {
    return this.transport.stream(this.#posted(message, over))
  }

  call(method: string, params?: object, over?: Headers): Promise<TestReply> {
    return this.send(this.request(method, params), over)
  }

  callTool(name: string, args: object = {}, more: object = {}): Promise<TestReply> {
    return this.call('tools/call', { name, arguments: args, ...more })
  }

  postTool(name: string, args: object = {}, more: object = {}): Promise<TestReply> {
    return this.post(this.request('tools/call', { name, arguments: args, ...more }))
  }

  notify(method: string, params?: object): Promise<TestReply> {
    return this.send({ jsonrpc: '2.0', method, params })
  }

  /** What the server asked for. */
  answer(question: WireMessage, result: object): Promise<TestReply> {
    return this.send({ jsonrpc: '2.0', id: question.id, result })
  }

  refuse(question: WireMessage, message: string, code = -1): Promise<TestReply> {
    return this.send({ jsonrpc: '2.0', id: question.id, error: { code, message } })
  }

  /** The stream of the session, or the rest of one that was left behind the event `lastEventId`. */
  listen(lastEventId?: string, over: Headers = {}): Promise<TestReply> {
    const more: Headers = { 'content-type': undefined, accept: 'text/event-stream', 'last-event-id': lastEventId }
    return this.transport.stream({ method: 'GET', headers: this.#headers({ ...more, ...over }), check: this.check })
  }

  /** Ends the session. */
  end(over: Headers = {}): Promise<TestReply> {
    const headers = this.#headers({ 'content-type': undefined, ...over })
    return this.transport.send({ method: 'DELETE', headers, check: this.check })
  }

  #posted(message: object, over: Headers): HttpRequest {
    const mirror = this.revision === VERSION ? mirrored(message as Message) : {}
    const headers = this.#headers({ ...mirror, ...this.#options.headers, ...over })
    return { method: 'POST', headers, body: message, check: this.check }
  }
}

/** Opens a session. Tries again while the server is overloaded, as clients do. @returns the answer of `initialize` */
export async function initialize(transport: Transport, opening: Opening = {}): Promise<TestReply> {
  const { revision = NEWEST, headers = {} } = opening
  const body = initializing(opening)
  const reply = await transport.send({ body, headers, check: message => wireOf(revision)(message, 'initialize') })
  if (reply.status !== 200) throw new Error(`no session: ${reply.status} ${reply.text}`)
  return reply
}

export const sessionIdOf = ({ headers }: TestReply): string => String(headers['mcp-session-id'])
