// What most tests need: an app that closes with the test, and clients that check every message they receive.
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createServer, type ServerOptions } from '../../src/index.ts'
import { type CallOptions, readMessages, request } from './request.ts'
import { boundRequests, shedNoLoad } from './shed-no-load.ts'
import { assertWire, type WireMessage } from './wire/modern.ts'

export { type Listener, stream } from './listener.ts'
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
