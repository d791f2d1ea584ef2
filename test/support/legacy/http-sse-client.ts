// A client of HTTP+SSE: its one stream, and the address that the stream names. Every message is checked.
import type { Test } from 'tap'
import { nextId } from '../client/client.ts'
import type { TestReply } from '../client/reply.ts'
import { socket } from '../client/transport.ts'
import { wireOf } from '../wire/legacy.ts'
import type { WireMessage } from '../wire/modern.ts'

type Over = Readonly<Record<string, string>>

export class OldClient {
  readonly stream: TestReply
  readonly address: URL
  readonly methods = new Map<unknown, string>()
  readonly #over: Over

  constructor(stream: TestReply, address: URL, over: Over) {
    this.stream = stream
    this.address = address
    this.#over = over
  }

  /** @param at another server than the one that named the address */
  post(message: object, headers: Over = {}, at: string | URL = this.address): Promise<Response> {
    const { id, method } = message as WireMessage
    if (id !== undefined && method !== undefined) this.methods.set(id, method)
    return fetch(new URL(this.address.pathname + this.address.search, at), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#over, ...headers },
      body: JSON.stringify(message),
    })
  }

  async ask(method: string, params?: object, at?: string): Promise<WireMessage> {
    const id = nextId()
    const reply = await this.post({ jsonrpc: '2.0', id, method, params }, {}, at)
    if (reply.status !== 202) throw new Error(`${reply.status} ${await reply.text()}`)
    await this.stream.until(() => this.answerTo(id) !== undefined, `the answer to ${method}`)
    return this.answerTo(id)!
  }

  answerTo(id: string) {
    return this.stream.messages.find(message => message.id === id && message.method === undefined)
  }
}

export interface ConnectOptions {
  readonly revision?: string
  /** Headers of all its requests. */
  readonly over?: Over
}

export async function connect(
  t: Test,
  url: string,
  { revision = '2024-11-05', over = {} }: ConnectOptions = {},
): Promise<OldClient> {
  const stream = await socket(url, t).stream({
    path: '/sse',
    headers: over,
    check: message =>
      wireOf(revision)(message, message.method === undefined ? client.methods.get(message.id) : undefined),
  })
  const { event, data } = await stream.event(0)
  if (event !== 'endpoint') throw new Error(`not the endpoint: ${event} ${data}`)
  const client: OldClient = new OldClient(stream, new URL(data, url), over)
  return client
}
