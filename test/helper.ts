// What most tests need: an app that closes with the test, and clients that check every message they receive.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createServer, type ServerOptions } from '../src/index.ts'
import { assertWire, type WireMessage } from './wire.ts'

export const VERSION = '2026-07-28'
export const META = 'io.modelcontextprotocol/'

export interface Logs {
  /** Every line so far, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
  readonly lines: any[]
  readonly text: string
}

export type App = FastifyInstance & { logs: Logs; audit: Logs }

/** A stream of JSON lines, and what came. */
export function jsonLines(): Logs & { stream: Writable } {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      kept.text += chunk
      kept.lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const kept = { lines: [] as unknown[], text: '', stream }
  return kept
}

/** A server that logs into `app.logs`, audits into `app.audit`, and closes with the test. */
export async function build(t: Test, options: ServerOptions = {}): Promise<App> {
  const logs = jsonLines()
  const audit = jsonLines()
  const ours = { drainMs: 500, logLevel: 'debug', logStream: logs.stream, auditStream: audit.stream } as const
  const app = await createServer({ ...ours, ...options })
  t.teardown(() => app.close())
  return Object.assign(app, { logs, audit }) as App
}

/** The same, listening; with its URL. */
export async function listening(
  t: Test,
  options: ServerOptions = {},
): Promise<{ app: App; url: string; port: number }> {
  const app = await build(t, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, port, url: `http://127.0.0.1:${port}/mcp` }
}

export interface CallOptions {
  id?: string | number
  capabilities?: object
  /** More members of `_meta`. */
  meta?: object
  /** Laid over the usual headers; `undefined` takes one away. */
  headers?: Record<string, string | undefined>
}

let ids = 0

/** A correct request of 2026-07-28: its message and the headers that mirror it. */
export function request(method: string, params: Record<string, unknown> = {}, options: CallOptions = {}) {
  const { id = ++ids, capabilities = {}, meta = {}, headers = {} } = options
  const _meta = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'test', version: '1.0.0' },
    [`${META}clientCapabilities`]: capabilities,
    ...meta,
  }
  const name =
    method === 'resources/read'
      ? params['uri']
      : method === 'tools/call' || method === 'prompts/get'
        ? params['name']
        : undefined
  const all: Record<string, string | undefined> = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    'mcp-name': typeof name === 'string' ? name : undefined,
    ...headers,
  }
  return { message: { jsonrpc: '2.0', id, method, params: { ...params, _meta } }, headers: defined(all) }
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

export interface Reply extends WireMessage {
  status: number
  headers: Record<string, unknown>
  /** What came before the response, where it was a stream. */
  notifications: WireMessage[]
}

/** Sends one request through `inject` and checks what comes back against the official schema. */
export async function call(
  app: FastifyInstance,
  method: string,
  params?: Record<string, unknown>,
  options?: CallOptions,
): Promise<Reply> {
  const { message, headers } = request(method, params, options)
  const response = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
  const messages = readMessages(String(response.headers['content-type']), response.body)
  for (const each of messages) assertWire(each, method)
  const last = messages.at(-1)
  if (last === undefined) throw new Error(`no message in the answer: ${response.statusCode} ${response.body}`)
  return { ...last, status: response.statusCode, headers: response.headers, notifications: messages.slice(0, -1) }
}

/** `call` of a tool: the result. */
export async function callTool(
  app: FastifyInstance,
  name: string,
  args: object = {},
  options?: CallOptions,
): Promise<Reply['result']> {
  const reply = await call(app, 'tools/call', { name, arguments: args }, options)
  if (reply.error !== undefined) throw new Error(`${reply.error.code} ${reply.error.message}`)
  return reply.result
}

export function readMessages(contentType: string, body: string): WireMessage[] {
  if (!contentType.startsWith('text/event-stream')) return body === '' ? [] : [JSON.parse(body)]
  return body
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice(6)))
}

export interface Listener {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Every message so far, checked. */
  readonly messages: WireMessage[]
  /** Comments of the stream, such as keep-alives. */
  readonly comments: string[]
  /** The message at `index`, as soon as it is there; rejects after 5 s or when the stream has ended before. */
  next(index: number): Promise<WireMessage>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Opens a stream over a real socket; the URL is that of a listening app. Closes with the test. */
export async function stream(
  t: Test,
  url: string,
  method: string,
  params?: Record<string, unknown>,
  options?: CallOptions,
): Promise<Listener> {
  const { message, headers } = request(method, params, options)
  const { host: _, ...rest } = headers
  const sent = http.request(url, { method: 'POST', headers: rest, agent: false })
  sent.end(JSON.stringify(message))
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const messages: WireMessage[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  let rest_ = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest_ + chunk).split('\n')
    rest_ = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data: ')) messages.push(assertWire(JSON.parse(line.slice(6)), method))
      else if (line.startsWith(':')) comments.push(line)
    }
    for (const wake of waiting) wake()
  })
  let hasEnded = false
  const ended = new Promise<void>(resolve => {
    const end = () => {
      hasEnded = true
      for (const wake of waiting) wake()
      resolve()
    }
    response.on('end', end).on('close', end).on('error', end)
  })
  const close = () => sent.destroy()
  sent.on('error', () => {})
  t.teardown(close)
  return {
    status: response.statusCode!,
    headers: response.headers,
    messages,
    comments,
    ended,
    close,
    next: index =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => done(() => reject(new Error(`message ${index} did not come; have ${messages.length}`))),
          5000,
        )
        const done = (finish: () => void) => {
          clearTimeout(timer)
          waiting.delete(wake)
          finish()
        }
        const wake = () => {
          const found = messages[index]
          if (found !== undefined) done(() => resolve(found))
          else if (hasEnded) done(() => reject(new Error(`the stream ended after ${messages.length} messages`)))
        }
        waiting.add(wake)
        wake()
      }),
  }
}
