import { once } from 'node:events'
import type http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import Fastify from 'fastify'
import type { Test } from 'tap'
import { MemoryEvents } from '../../../packages/memory/src/events.ts'
import { type MemorySessionBounds, MemorySessions } from '../../../packages/memory/src/sessions.ts'
import { reportStart } from '../../../packages/start-up/src/report.ts'
import { mountRoutes } from '../../../routes/index.ts'
import { resolveOptions } from '../../../src/config/options.ts'
import { readOptions } from '../../../src/config/read-options.ts'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { SessionRegistry } from '../../../src/legacy/session-registry.ts'
import { mayRead } from '../../../src/methods/resources.ts'
import type { Definition } from '../../../src/registry/catalog.ts'
import type { UnsentBytes } from '../../../src/request/unsent-bytes.ts'
import type { Runtime } from '../../../src/runtime.ts'
import { noReplicas } from '../../../src/state/replicas.ts'
import { Toolrack } from '../../../src/toolrack.ts'
import { StreamRegistry } from '../../../src/transport/sse.ts'
import { type App, build, type CallOptions, call, type Reply, request } from '../app.ts'
import { assembled } from '../runtime.ts'

export { until } from '../eventually.ts'

/** The value of a variable of the environment whose name says that it is a secret. */
export const CANARY = 'kanarienvogel-4711-vertraulich'
process.env['SOME_API_KEY'] = CANARY

const probe = defineTool({ name: 'probe', annotations: { readOnlyHint: true }, handler: () => 'alive' })

/** A server with the tools, a probe, and no rate limit in the way; its log is that of a service, which has no stacks. */
export function rack(t: Test, tools: readonly Definition[], options: ServerOptions = {}): Promise<App> {
  return build(t, {
    tools: [probe, ...tools],
    logLevel: 'info',
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
  })
}

const LEAKS = [CANARY, process.cwd(), tmpdir(), '/node_modules/', '\\n    at ', '"stack"', 'node:internal']

/** @throws Error where a text holds the canary, a stack or an absolute path of this machine */
export function assertClean(text: string): void {
  const leak = LEAKS.find(each => text.includes(each))
  if (leak !== undefined) throw new Error(`${JSON.stringify(leak)} leaked: ${text.slice(0, 500)}`)
}

/** An answer is there at once; a machine that stands still may make more of that, but not what a tool may take: 30 s. */
const ANSWER_MS = 25_000
/** Of the processor, in this thread. */
const WORK_MS = 5000

/** Calls a tool, and checks what holds after every case. @throws Error where it does not */
export async function attack(app: App, name: string, args: object = {}, options: CallOptions = {}): Promise<Reply> {
  const [startedMs, cpuBefore] = [performance.now(), process.threadCpuUsage()]
  const reply = await call(app, 'tools/call', { name, arguments: args }, options)
  const elapsedMs = performance.now() - startedMs
  const { user, system } = process.threadCpuUsage(cpuBefore)
  if (elapsedMs > ANSWER_MS) throw new Error(`answered after ${elapsedMs} ms`)
  if ((user + system) / 1000 > WORK_MS) throw new Error(`answered after ${(user + system) / 1000} ms of work`)
  assertClean(JSON.stringify(reply))
  assertClean(app.logs.text)
  const alive = await call(app, 'tools/call', { name: 'probe', arguments: {} })
  if (alive.result?.content[0].text !== 'alive') throw new Error(`the probe got ${JSON.stringify(alive)}`)
  return reply
}

/** The text of a result that says that the tool failed. @throws Error where it does not */
export function failure({ status, error, result }: Reply): string {
  if (status !== 200 || error !== undefined || result.isError !== true || result.content.length !== 1) {
    throw new Error(`not a tool error: ${status} ${JSON.stringify(error ?? result).slice(0, 500)}`)
  }
  return result.content[0].text
}

export interface Wired {
  app: App
  streams: StreamRegistry
  port: number
  toolrack: Toolrack
  /** Bytes that wait for readers of the newest response. */
  held(): number
}

export interface WiredOptions {
  clock?: () => number
  maxStreams?: number
  sessions?: MemorySessionBounds & { readonly ttlMs: number }
  unsent?: UnsentBytes
  maxResultBytes?: number
}

const sessionsOf = (bounds: MemorySessionBounds & { readonly ttlMs: number }, runtime: Runtime) =>
  new SessionRegistry({
    replicas: noReplicas,
    sessions: new MemorySessions(bounds),
    events: new MemoryEvents(),
    changes: runtime.changes,
    ttlMs: bounds.ttlMs,
    mayRead: (caller, uri) => mayRead(runtime, caller, uri),
  })

/** The endpoint alone, listening, with a clock and a bound on its streams of the test's own. */
export async function wired(
  t: Test,
  tools: readonly Definition[],
  { clock, maxStreams = 100, sessions, unsent, maxResultBytes }: WiredOptions = {},
): Promise<Wired> {
  const settings = readOptions({ rateLimit: { max: 1_000_000 }, ...(maxResultBytes && { limits: { maxResultBytes } }) })
  const app = Fastify()
  const identity = { name: 'wired', version: '1' }
  const parts = assembled('wired', app.log, settings)
  const ofTest = sessions && sessionsOf(sessions, parts)
  if (ofTest !== undefined) t.teardown(() => ofTest.shutDown())
  parts.code.add([probe, ...tools])
  const bounds = { maxStreams, unsent: unsent ?? parts.unsent }
  const streams = new StreamRegistry({ unsent: bounds.unsent, clock })
  const runtime = { ...parts, ...bounds, streams, sessions: ofTest ?? parts.sessions }
  await mountRoutes(app, runtime, { ...resolveOptions({}), identity })
  let newest: http.ServerResponse | undefined
  app.server.on('request', (_request, response) => (newest = response))
  app.addHook('preClose', async () => runtime.changes.end())
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as net.AddressInfo
  const toolrack = new Toolrack(runtime, reportStart)
  return { app: app as unknown as App, streams, port, toolrack, held: () => newest?.writableLength ?? 0 }
}

/** One request over a bare socket, which the test may read from or not. Closes with the test. */
export async function post(
  t: Test,
  port: number,
  method: string,
  params: Record<string, unknown>,
  options: CallOptions = {},
): Promise<net.Socket> {
  const { message, headers } = request(method, params, options)
  const body = JSON.stringify(message)
  const head = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) })
  const socket = net.connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
  return socket
}
