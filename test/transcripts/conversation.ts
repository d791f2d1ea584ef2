// Plays the client of a transcript: sends what is written, in the manner of its revision, and compares what comes.
import type { App } from '../support/app.ts'
import { META, VERSION } from '../support/app.ts'
import type { WireMessage } from '../support/wire/modern.ts'
import { faultsOf } from './check.ts'
import { exchange, type Reply } from './exchange.ts'
import { differs, filled, type Saved } from './pattern.ts'
import { late } from './shop.ts'

/** One step of a transcript; strings that begin with `$` are explained in pattern.ts. */
export interface Step {
  /** What it shows, as a sentence. */
  about: string
  /** Default: POST where something is sent, else none. */
  verb?: 'POST' | 'GET' | 'DELETE'
  send?: Sendable | Sendable[]
  /** Over those that the revision asks for; null takes one away. */
  headers?: Record<string, string | null>
  /** Answers to what the server asks meanwhile, in turn: `result` or `error`. */
  answers?: object[]
  /** Sent as soon as the first message has come. */
  then?: Sendable
  /** The connection is cut as soon as the first message has come. */
  leaves?: boolean
  /** The stream stays open under this name. */
  open?: string
  /** What the server's owner does. */
  server?: { add?: true; remove?: true; updated?: string }
  /** The open stream that is looked at. */
  on?: string
  expect: { status?: number; type?: 'json' | 'sse' | 'none'; messages?: unknown[] }
}

interface Sendable {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  params?: Record<string, unknown>
}

const NAMES: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

export class Conversation {
  readonly #app: App
  readonly #url: string
  readonly #version: string
  readonly #saved: Saved = new Map()
  readonly #streams = new Map<string, { reply: Reply; read: number }>()
  readonly #methods = new Map<string | number, string>()
  #session: string | undefined

  constructor(app: App, url: string, version: string) {
    this.#app = app
    this.#url = url
    this.#version = version
    this.#saved.set('meta', {
      [`${META}protocolVersion`]: VERSION,
      [`${META}clientInfo`]: { name: 'reader', version: '1.0.0' },
      [`${META}clientCapabilities`]: { elicitation: { form: {} }, sampling: {}, roots: {} },
    })
  }

  /** @returns what is not as it is written */
  async play(step: Step): Promise<string[]> {
    this.#serve(step.server)
    if (step.on !== undefined) return this.#look(step.on, step)
    const reply = await this.#send(step)
    const messages = await this.#hear(step, reply)
    const { status, type } = step.expect
    return [
      differs(reply.status, status ?? 200, this.#saved, 'status'),
      differs(typeOf(reply), type ?? 'json', this.#saved, 'type'),
      ...this.#compare(messages, step),
    ].filter(fault => fault !== undefined)
  }

  leave(): void {
    for (const { reply } of this.#streams.values()) reply.leave()
  }

  #serve({ add, remove, updated }: NonNullable<Step['server']> = {}): void {
    if (add) this.#app.toolrack.add(late)
    if (remove) this.#app.toolrack.remove(late)
    if (updated !== undefined) this.#app.toolrack.resourceUpdated(updated)
  }

  async #look(name: string, step: Step): Promise<string[]> {
    const stream = this.#streams.get(name)!
    const from = stream.read
    stream.read += step.expect.messages?.length ?? 0
    await stream.reply.has(stream.read)
    if (step.expect.type === 'none') await stream.reply.ended
    return this.#compare(stream.reply.messages.slice(from), step)
  }

  async #send({ verb = 'POST', send, headers = {} }: Pick<Step, 'verb' | 'send' | 'headers'>): Promise<Reply> {
    const body = send && (filled(spread(send, this.#saved), this.#saved) as Sendable | Sendable[])
    for (const { id, method } of [body ?? []].flat())
      if (id !== undefined && method !== undefined) this.#methods.set(id, method)
    const all = { ...this.#headersOf(body, verb), ...(filled(headers, this.#saved) as typeof headers) }
    const kept = Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    const sent = { url: this.#url, verb, headers: Object.fromEntries(kept), body: body && JSON.stringify(body) }
    const reply = await exchange(sent)
    const session = reply.headers['mcp-session-id']
    if (typeof session === 'string') this.#session ??= session
    return reply
  }

  #headersOf(body: Sendable | Sendable[] | undefined, verb: string): Record<string, string | undefined> {
    const { method, params = {} } = body === undefined || Array.isArray(body) ? {} : body
    const usual = {
      ...(verb === 'POST' && { 'content-type': 'application/json' }),
      accept: verb === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    }
    if (this.#version === VERSION) {
      const name = params[NAMES[method ?? ''] ?? ''] as string | undefined
      return { ...usual, 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name }
    }
    if (this.#session === undefined) return usual
    // The header of the version came with 2025-06-18.
    const version = this.#version >= '2025-06-18' ? this.#version : undefined
    return { ...usual, 'mcp-session-id': this.#session, 'mcp-protocol-version': version }
  }

  async #hear(step: Step, reply: Reply): Promise<WireMessage[]> {
    const { open, answers = [], then, leaves, expect } = step
    if (then !== undefined || leaves) await reply.has(1)
    if (then !== undefined) await this.#send({ send: then })
    if (leaves) reply.leave()
    if (open !== undefined) {
      const read = expect.messages?.length ?? 0
      this.#streams.set(open, { reply, read })
      await reply.has(read)
      return reply.messages
    }
    for (let seen = 0, turn = 0; turn < answers.length; seen++) {
      await reply.has(seen + 1)
      const asked = reply.messages[seen]
      if (asked === undefined) break
      if (asked.method === undefined || asked.id === undefined) continue
      await this.#send({ send: { jsonrpc: '2.0', id: asked.id, ...answers[turn++] } })
    }
    await reply.ended
    return reply.messages
  }

  #compare(messages: unknown[], { expect }: Step): string[] {
    const fault = differs(messages, expect.messages ?? [], this.#saved)
    return [
      ...messages.flat().flatMap(each => this.#check(each as WireMessage)),
      ...(fault === undefined ? [] : [fault]),
    ]
  }

  #check(message: WireMessage): string[] {
    return faultsOf(message, this.#version, message.id === undefined ? undefined : this.#methods.get(message.id))
  }
}

function typeOf({ headers }: Reply): string {
  const type = headers['content-type'] ?? ''
  return type.startsWith('text/event-stream') ? 'sse' : type.startsWith('application/json') ? 'json' : 'none'
}

/** `{ "$meta": true, … }` is what every request of the newest revision says of itself, and more. */
function spread<T>(value: T, saved: Saved): T {
  return JSON.parse(JSON.stringify(value), (_key, each) => {
    if (typeof each !== 'object' || each === null || !Object.hasOwn(each, '$meta')) return each
    const { $meta: _, ...more } = each
    return { ...(saved.get('meta') as object), ...more }
  })
}
