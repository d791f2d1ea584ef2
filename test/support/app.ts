// What most tests need: an app that closes with the test, and clients that check every message they receive.
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createServer, type ServerOptions } from '../../src/index.ts'
import { McpTestClient } from './client/client.ts'
import type { TestReply } from './client/reply.ts'
import { inject, socket, type Transport } from './client/transport.ts'
import { type CallOptions, VERSION } from './request.ts'
import { boundRequests, shedNoLoad } from './shed-no-load.ts'
import type { WireMessage } from './wire/modern.ts'

export { type CallOptions, META, readMessages, request, VERSION } from './request.ts'

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

/** A server that logs into `app.logs`, audits into `app.audit`, and closes with the test. It sheds no load. */
export const build = (t: Test, options: ServerOptions = {}): Promise<App> =>
  buildBy(t, ours => createServer({ ...ours, ...options, audit: { ...ours.audit, ...options.audit } }))

type Ours = Required<Pick<ServerOptions, 'drainMs' | 'logLevel' | 'logStream' | 'audit'>>

/** The same, for a server that is made in another way. */
export async function buildBy(t: Test, make: (ours: Ours) => Promise<FastifyInstance>): Promise<App> {
  const logs = jsonLines()
  const audit = jsonLines()
  const app = await make({
    drainMs: 500,
    logLevel: 'debug',
    logStream: logs.stream,
    audit: { stream: audit.stream },
  })
  t.teardown(() => app.close())
  return Object.assign(shedNoLoad(app), { logs, audit }) as App
}

/** The same, whose requests have to come in time, as in service. */
export async function listeningInTime(t: Test, options: ServerOptions = {}) {
  const served = await listening(t, options)
  boundRequests(served.app)
  return served
}

/** The same, listening; with its URL. */
export async function listening(
  t: Test,
  options: ServerOptions = {},
): Promise<{ app: App; url: string; port: number }> {
  const app = await build(t, options)
  const port = await listen(app, options)
  return { app, port, url: `http://127.0.0.1:${port}/mcp` }
}

/** @returns the port: that of the options, or a free one */
export async function listen(app: App, { port = 0 }: ServerOptions = {}): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: Number(port) })
  return (app.server.address() as AddressInfo).port
}

export interface Reply extends WireMessage {
  status: number
  headers: Record<string, unknown>
  /** What came before the response, where it was a stream. */
  notifications: WireMessage[]
}

/** Sends one request of the newest revision through `inject`. */
export const call = (
  app: FastifyInstance,
  method: string,
  params?: Record<string, unknown>,
  options?: CallOptions,
): Promise<Reply> => ask(inject(app), method, params, options)

/** Sends one request of the newest revision. */
export async function ask(
  transport: Transport,
  method: string,
  params: object = {},
  options: CallOptions = {},
): Promise<Reply> {
  const client = new McpTestClient(transport, { revision: VERSION, ...options })
  const { status, headers, messages, text } = await client.send(client.request(method, params, options.id))
  const last = messages.at(-1)
  if (last === undefined) throw new Error(`no message in the answer: ${status} ${text}`)
  return { ...last, status, headers, notifications: messages.slice(0, -1) }
}

/** Opens a stream of the newest revision over a socket; the URL is that of a listening app. Closes with the test. */
export function stream(
  t: Test,
  url: string,
  method: string,
  params: object = {},
  options: CallOptions = {},
): Promise<TestReply> {
  const client = new McpTestClient(socket(url, t), { revision: VERSION, ...options })
  return client.post(client.request(method, params, options.id))
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
