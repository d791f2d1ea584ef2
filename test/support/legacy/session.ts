// A client of the revisions with a handshake: one session, every message that comes checked against its revision.
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { defineTool, type ServerOptions, type ToolContext } from '../../../src/index.ts'
import { type App, build, listening } from '../app.ts'
import { wireOf } from '../wire/legacy.ts'
import type { WireMessage } from '../wire/modern.ts'
import { type EventListener, listenTo, parseEvent } from './event-stream.ts'

export { until } from '../eventually.ts'

export const NEWEST = '2025-11-25'
export const ABLE = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } }

export type Over = Record<string, string | undefined>

export interface Opening {
  revision?: string
  capabilities?: object
  headers?: Over
}

export interface Answered {
  status: number
  headers: Record<string, unknown>
  /** All that came, checked; the response last. */
  messages: WireMessage[]
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely; their shape is checked
  result?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error?: any
}

let ids = 0
export const nextId = () => `r${++ids}`

const usualHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const defined = (headers: Over): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

export const initializing = ({ revision = NEWEST, capabilities = ABLE }: Opening = {}, id: string = nextId()) => ({
  jsonrpc: '2.0' as const,
  id,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1.0.0' } },
})

export class TestSession {
  readonly app: App
  readonly id: string
  readonly revision: string
  /** What `initialize` answered. */
  readonly opened: Answered
  readonly #t: Test
  /** By request id, so that a resumed stream can be checked too. */
  readonly #methods = new Map<string | number, string>()

  constructor(t: Test, app: App, { revision, opened }: { revision: string; opened: Answered }) {
    this.#t = t
    this.app = app
    this.revision = revision
    this.opened = opened
    this.id = String(opened.headers['mcp-session-id'])
  }

  headers(over: Over = {}): Record<string, string> {
    const version = this.revision >= '2025-06-18' ? this.revision : undefined
    return defined({ ...usualHeaders, 'mcp-session-id': this.id, 'mcp-protocol-version': version, ...over })
  }

  readonly check = (message: WireMessage): WireMessage =>
    wireOf(this.revision)(message, message.method === undefined ? this.#methods.get(message.id!) : undefined)

  request(method: string, params?: object, id: string | number = nextId()) {
    this.#methods.set(id, method)
    return { jsonrpc: '2.0', id, method, params }
  }

  /** One message, or a batch, through `inject`. */
  async send(message: object, over: Over = {}): Promise<Answered> {
    const headers = { host: 'localhost', ...this.headers(over) }
    const response = await this.app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
    return answered(response, this.check)
  }

  call(method: string, params?: object, over?: Over): Promise<Answered> {
    return this.send(this.request(method, params), over)
  }

  callTool(name: string, args: object = {}, more: object = {}): Promise<Answered> {
    return this.call('tools/call', { name, arguments: args, ...more })
  }

  notify(method: string, params?: object): Promise<Answered> {
    return this.send({ jsonrpc: '2.0', method, params })
  }

  /** What the server asked for. */
  answer(question: WireMessage, result: object): Promise<Answered> {
    return this.send({ jsonrpc: '2.0', id: question.id, result })
  }

  refuse(question: WireMessage, message: string, code = -1): Promise<Answered> {
    return this.send({ jsonrpc: '2.0', id: question.id, error: { code, message } })
  }

  async end(over: Over = {}): Promise<Answered> {
    const { 'content-type': _, ...headers } = this.headers(over)
    const response = await this.app.inject({
      method: 'DELETE',
      url: '/mcp',
      headers: { host: 'localhost', ...headers },
    })
    return answered(response, this.check)
  }

  /** Over a socket, where the app listens. */
  post(message: object, over: Over = {}): Promise<EventListener> {
    const body = JSON.stringify(message)
    return listenTo(this.#t, {
      url: urlOf(this.app),
      method: 'POST',
      headers: this.headers(over),
      body,
      check: this.check,
    })
  }

  /** A body over a socket, where `inject` reaches no server any more. @returns the status */
  async postRaw(body: string): Promise<number> {
    return (await fetch(urlOf(this.app), { method: 'POST', headers: this.headers(), body })).status
  }

  postTool(name: string, args: object = {}, more: object = {}): Promise<EventListener> {
    return this.post(this.request('tools/call', { name, arguments: args, ...more }))
  }

  /** The stream of news, or the rest of one that was left behind the event `lastEventId`. */
  listen(lastEventId?: string, over: Over = {}): Promise<EventListener> {
    const headers = this.headers({ 'content-type': undefined, accept: 'text/event-stream', ...over })
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
    return listenTo(this.#t, { url: urlOf(this.app), method: 'GET', headers, check: this.check })
  }
}

export function urlOf(app: App): string {
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
}

interface Injected {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

export function answered(
  { statusCode, headers, body }: Injected,
  check: (message: WireMessage) => WireMessage,
): Answered {
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const texts = isStream ? body.split('\n\n').map(block => parseEvent(block)?.data ?? '') : [body]
  const messages: WireMessage[] = texts.filter(text => text !== '').flatMap(text => JSON.parse(text))
  for (const message of messages) check(message)
  const { result, error } = messages.at(-1) ?? {}
  return { status: statusCode, headers, messages, body, result, error }
}

/** A session of an app; in the newest revision with a handshake, by a client that can be asked everything. */
export async function open(t: Test, app: App, opening: Opening = {}): Promise<TestSession> {
  const { revision = NEWEST } = opening
  const headers = defined({ host: 'localhost', ...usualHeaders, ...opening.headers })
  const payload = JSON.stringify(initializing(opening))
  const response = await app.inject({ method: 'POST', url: '/mcp', headers, payload })
  const opened = answered(response, message => wireOf(revision)(message, 'initialize'))
  if (opened.status !== 200) throw new Error(`no session: ${opened.status} ${opened.body}`)
  const session = new TestSession(t, app, { revision, opened })
  await session.notify('notifications/initialized')
  return session
}

/** A session of a server that is reached through `inject` only. */
export async function session(t: Test, options: ServerOptions = {}, opening?: Opening): Promise<TestSession> {
  return open(t, await build(t, options), opening)
}

/** A session of a server that listens. */
export async function connected(t: Test, options: ServerOptions = {}, opening?: Opening): Promise<TestSession> {
  const { app } = await listening(t, options)
  return open(t, app, opening)
}

export type Handler = (ctx: ToolContext, args: Record<string, unknown>) => unknown

/** A tool that takes any arguments. */
export const tool = (name: string, handler: Handler, more: object = {}) =>
  defineTool({ name, inputSchema: { type: 'object' }, ...more, handler: (args, ctx) => handler(ctx, args) })

export const textOf = ({ result }: { result?: { content: { text?: string }[] } }) => result?.content[0]?.text

/** A tool that never ends by itself: `started` when it runs, `aborted` when it should stop. With a token, it says so. */
export function stuckTool(name = 'stuck', more: object = {}) {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<string>()
  const stuck = tool(
    name,
    ({ signal, progress }) => {
      signal.addEventListener('abort', () => aborted.resolve(String(signal.reason.message)))
      progress(1)
      started.resolve()
      return new Promise(() => {})
    },
    more,
  )
  return { stuck, started: started.promise, aborted: aborted.promise }
}

/** A tool that ends when the test lets it. With a token, it says that it has begun. */
export function gatedTool(name = 'slow') {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const gated = tool(name, async ({ progress }) => {
    progress(1)
    started.resolve()
    await gate.promise
    return 'done'
  })
  return { gated, started: started.promise, open: gate.resolve }
}
