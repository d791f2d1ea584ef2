// An official client at the URL of any server, ours or not: that of each SDK, with the same few members.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Test } from 'tap'
import { VERSION } from '../request.ts'

export interface UrlClient {
  /** Its `result` or its `error`, and what came with it. */
  ask(method: string, params?: Record<string, unknown>): Promise<Answer>
  serverName(): string | undefined
}

export interface Answer {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: unknown; readonly message: string }
  readonly progress: readonly unknown[]
  /** What the user and the model of the client were asked. */
  readonly asked: readonly unknown[]
  readonly logged: readonly unknown[]
}

export interface UrlOptions {
  readonly headers?: Record<string, string>
  /** Whether it asks for log messages of every level. */
  readonly asksForLogs?: boolean
}

export type ConnectUrl = (t: Test, url: string, options?: UrlOptions) => Promise<UrlClient>

const CLIENT = { name: 'test', version: '1.0.0' }
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} }

/** `@modelcontextprotocol/sdk` 1.x: a session of 2025-11-25. */
export const connectSdk1Url: ConnectUrl = async (t, url, { headers = {}, asksForLogs = true } = {}) => {
  const client = new Client1(CLIENT, { capabilities: CAPABILITIES })
  const heard = new Heard()
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => heard.elicit(params))
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => heard.sample(params))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard.log(params))
  t.teardown(() => client.close())
  // What a server sends before the client has its stream is lost in some of them.
  const stream = Promise.withResolvers<void>()
  const fetchAndSee: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method === 'GET') stream.resolve()
    return response
  }
  await client.connect(new Transport1(new URL(url), { requestInit: { headers }, fetch: fetchAndSee }))
  await stream.promise
  if (asksForLogs && client.getServerCapabilities()?.logging) await client.setLoggingLevel('debug')
  return {
    ask: (method, params) =>
      heard.answer(onprogress => client.request({ method, params }, ResultSchema.loose(), { onprogress })),
    serverName: () => client.getServerVersion()?.name,
  }
}

/** `@modelcontextprotocol/client` 2.x: 2026-07-28. */
export const connectSdk2Url: ConnectUrl = async (t, url, { headers = {}, asksForLogs = true } = {}) => {
  const versionNegotiation = { mode: { pin: VERSION } }
  const client = new Client2(CLIENT, { capabilities: CAPABILITIES, versionNegotiation })
  const heard = new Heard()
  client.setRequestHandler('elicitation/create', ({ params }) => heard.elicit(params))
  client.setRequestHandler('sampling/createMessage', ({ params }) => heard.sample(params))
  client.setNotificationHandler('notifications/message', ({ params }) => heard.log(params))
  t.teardown(() => client.close())
  await client.connect(new Transport2(new URL(url), { requestInit: { headers } }))
  const _meta = asksForLogs ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {}
  return {
    ask: (method, params) =>
      heard.answer(onprogress => client.request({ method, params: { _meta, ...params } } as never, { onprogress })),
    serverName: () => client.getServerVersion()?.name,
  }
}

/** What a client is asked and told. Its user agrees, unless a question says REFUSED. */
class Heard {
  #asked: unknown[] = []
  #logged: unknown[] = []

  elicit(params: { message: string }) {
    this.#asked.push(params)
    if (params.message.includes('REFUSED')) return { action: 'decline' as const }
    return { action: 'accept' as const, content: { sure: true } }
  }

  sample(params: object) {
    this.#asked.push(params)
    return { role: 'assistant' as const, model: 'test', content: { type: 'text' as const, text: 'Buy two!' } }
  }

  log({ level, data }: { level: string; data?: unknown }): void {
    this.#logged.push({ level, data })
  }

  async answer(send: (onprogress: (progress: { message?: string }) => void) => Promise<unknown>): Promise<Answer> {
    const [progress, asked, logged]: unknown[][] = [[], (this.#asked = []), (this.#logged = [])]
    // Client 2.x says itself that it answers a question.
    const onprogress = (each: { message?: string }) => each.message?.startsWith('Fulfilling') || progress!.push(each)
    const outcome = await send(onprogress).then(
      result => ({ result: result as Record<string, unknown> }),
      ({ code, message }) => ({ error: { code, message } }),
    )
    return { ...outcome, progress: progress!, asked: asked!, logged: logged! }
  }
}
