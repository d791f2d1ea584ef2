// Tools that misbehave, and what must hold after each of them: one well-formed answer in time, the server alive,
// nothing told that is nobody's business. In the test's process, or in a real one of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { Test } from 'tap'
import errors from '../../plugins/errors.ts'
import rateLimit from '../../plugins/rate-limit.ts'
import security from '../../plugins/security.ts'
import { mcpRoutes } from '../../routes/mcp.ts'
import { assemble, register } from '../../src/assemble.ts'
import { readOptions } from '../../src/config.ts'
import { Face } from '../../src/face.ts'
import { defineTool, type ServerOptions } from '../../src/index.ts'
import type { Definition } from '../../src/registry/catalog.ts'
import { Streams } from '../../src/transport/sse.ts'
import { type App, build, type CallOptions, call, type Reply, request } from '../helper.ts'

/** The value of a variable of the environment whose name says that it is a secret. */
export const CANARY = 'kanarienvogel-4711-vertraulich'
process.env['SOME_API_KEY'] = CANARY

const probe = defineTool({ name: 'probe', annotations: { readOnlyHint: true }, handler: () => 'alive' })

/** A server with the tools, a probe, and no rate limit in the way. */
export function rack(t: Test, tools: readonly Definition[], options: ServerOptions = {}): Promise<App> {
  return build(t, { tools: [probe, ...tools], rateLimitMax: 1_000_000, ...options })
}

const LEAKS = [CANARY, process.cwd(), tmpdir(), '/node_modules/', '\\n    at ', '"stack"', 'node:internal']

/** @throws Error where a text holds the canary, a stack or an absolute path of this machine */
export function assertClean(text: string): void {
  const leak = LEAKS.find(each => text.includes(each))
  if (leak !== undefined) throw new Error(`${JSON.stringify(leak)} leaked: ${text.slice(0, 500)}`)
}

const ANSWER_MS = 1000

/** Calls a tool, and checks what holds after every case. @throws Error where it does not */
export async function attack(app: App, name: string, args: object = {}, options: CallOptions = {}): Promise<Reply> {
  const startedMs = performance.now()
  const reply = await call(app, 'tools/call', { name, arguments: args }, options)
  const elapsedMs = performance.now() - startedMs
  if (elapsedMs > ANSWER_MS) throw new Error(`answered after ${elapsedMs} ms`)
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
  streams: Streams
  port: number
  toolrack: Face
  /** Bytes that wait for readers of the newest response. */
  held(): number
}

/** The endpoint alone, listening, with a clock and a bound on its streams of the test's own. */
export async function wired(
  t: Test,
  tools: readonly Definition[],
  { clock, maxStreams = 100 }: { clock?: () => number; maxStreams?: number } = {},
): Promise<Wired> {
  const settings = readOptions({ rateLimitMax: 1_000_000 })
  const app = Fastify()
  const parts = assemble(settings, { name: 'wired', version: '1' }, undefined, app.log)
  const streams = new Streams(clock)
  register(parts.services.catalog, [probe, ...tools], error => {
    throw error
  })
  const services = { ...parts.services, rules: { ...parts.services.rules, maxStreams } }
  await app.register(errors)
  await app.register(security, settings)
  await app.register(rateLimit, { settings, limits: parts.limits })
  await app.register(mcpRoutes, {
    path: '/mcp',
    maxBodyBytes: settings.maxBodyBytes,
    services,
    inflight: parts.inflight,
    streams,
  })
  let newest: http.ServerResponse | undefined
  app.server.on('request', (_request, response) => (newest = response))
  app.addHook('preClose', async () => services.changes.end())
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as net.AddressInfo
  const toolrack = new Face({ ...parts, services })
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

/** Waits until it is so; looks every few milliseconds, for at most 5 s. */
export async function until(isSo: () => unknown, what: string): Promise<void> {
  const endMs = performance.now() + 5000
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`it did not happen that ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export interface Process {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly stdout: string
  /** Every line of the log so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
  readonly lines: any[]
  /** The code it ended with. */
  readonly exited: Promise<number | null>
}

/** The real thing: `node src/server.ts` with the files as its tools. Ends with the test. */
export async function serve(
  t: Test,
  files: Record<string, string>,
  environment: Record<string, string> = {},
): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-hostile-'))
  const all = { 'probe.mjs': `export default { name: 'probe', handler: () => 'alive' }`, ...files }
  for (const [name, source] of Object.entries(all)) writeFileSync(join(folder, name), source)
  const child = spawn(process.execPath, ['src/server.ts'], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', TOOLS_DIR: folder, WATCH_TOOLS: 'false', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = { stdout: '', port: 0 }
  child.stdout.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  t.teardown(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const listening = /Server listening at http:\/\/127\.0\.0\.1:(\d+)/
  await Promise.race([until(() => listening.test(out.stdout), 'the server listened'), exited])
  const port = Number(listening.exec(out.stdout)?.[1])
  if (!(port > 0)) throw new Error(`did not start: ${out.stdout}`)
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    exited,
    get stdout() {
      return out.stdout
    },
    get lines() {
      return out.stdout.split('\n').filter(Boolean).map(readLine)
    },
  }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { raw: line }
  }
}

/** A call over HTTP: the status, the headers and the message. */
export async function callOver(url: string, name: string, args: object = {}, options: CallOptions = {}) {
  const { message, headers } = request('tools/call', { name, arguments: args }, options)
  const { host: _, ...rest } = headers
  const response = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as any }
}
