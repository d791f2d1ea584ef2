// Measures the heap that floods leave behind: of keys, handshakes, unasked answers, tasks and streams. Fails
// past the bounds below.
//   node bench/held.ts
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, defineTool } from '../src/index.ts'
import { MemoryLimits } from '../src/state/memory-limits.ts'
import { kib, mib } from './figures.ts'
import { heap } from './heap.ts'

type App = Awaited<ReturnType<typeof createServer>>

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const OPTIONS = { port: 0, logLevel: 'silent', rateLimit: { max: 1_000_000 } } as const
const VERSION = '2025-11-25'
const HEADERS = { host: 'localhost', accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

const hello = (params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'held', version: '1' }, ...params },
})

async function post(app: App, body: object, headers: Record<string, string> = {}) {
  const reply = await app.inject({ method: 'POST', url: '/mcp', headers: { ...HEADERS, ...headers }, payload: body })
  if (reply.statusCode >= 300) throw new Error(`${reply.statusCode} ${reply.body}`)
  return reply
}

async function openSession(app: App): Promise<Record<string, string>> {
  const { headers } = await post(app, hello())
  return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': VERSION }
}

/** Bytes of the heap that `flood` leaves. */
async function leftBy(flood: () => unknown): Promise<number> {
  const before = await heap()
  await flood()
  return (await heap()) - before
}

function report(name: string, bytes: number, most: number): void {
  const isFit = bytes <= most
  const toText = most < 1024 * 1024 ? kib : mib
  console.log(`${toText(Math.max(0, bytes)).padStart(12)}  ${name}${isFit ? '' : `: more than ${toText(most)}`}`)
  if (!isFit) process.exitCode = 1
}

async function measureKeys(): Promise<void> {
  const limits = new MemoryLimits(() => 1000)
  const flood = () => {
    for (let index = 0; index < 1_000_000; index++) limits.take(`address ${index}`, { max: 2, windowMs: 60_000 })
  }
  report('a million keys of rate limits', await leftBy(flood), 64 * 1024 * 1024)
  limits.take('the last', { max: 2, windowMs: 60_000 })
}

async function measureHandshakes(app: App): Promise<void> {
  const long = 'x'.repeat(300_000)
  const wide = Object.fromEntries(times(4000, index => [`k${index}`, { v: index }]))
  const capabilities = { experimental: { [long]: {} }, elicitation: { form: wide }, roots: { x: long } }
  const body = hello({ capabilities, clientInfo: { name: long, version: '1', title: 'x' } })
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await post(app, body)
  }
  await send(20)
  report('a session whose handshake says 1 MB', (await leftBy(() => send(200))) / 200, 16 * 1024)
}

async function measureAnswers(app: App): Promise<void> {
  const session = await openSession(app)
  const answers = ['__proto__', '', 0, 'x'.repeat(128)].map(id => ({
    jsonrpc: '2.0',
    id,
    error: { code: 1, message: 'x'.repeat(5000) },
  }))
  const flood = async () => {
    for (let round = 0; round < 300; round++) for (const answer of answers) await post(app, answer, session)
  }
  report('1,200 answers that nobody asked for', await leftBy(flood), 8 * 1024 * 1024)
}

async function measureTasks(): Promise<void> {
  const ttlMs = 2000
  const large = defineTool({ name: 'large', task: 'optional', handler: () => 'x'.repeat(100_000) })
  const app = await createServer({ ...OPTIONS, tools: [large], tasks: { ttlMs } })
  const session = await openSession(app)
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'large', arguments: {}, task: {} } }
  const flood = async () => {
    for (let round = 0; round < 10; round++) await Promise.all(times(25, () => post(app, call, session)))
    await sleep(3 * ttlMs)
  }
  report('250 tasks of 100 kB that have had their time', await leftBy(flood), 10 * 1024 * 1024)
  await app.close()
}

async function measureStreams(app: App): Promise<void> {
  const { port } = app.server.address() as AddressInfo
  const openStream = async (session: Record<string, string>) => {
    const socket = net.connect(port, '127.0.0.1')
    const headers = Object.entries({ ...session, accept: 'text/event-stream', host: `127.0.0.1:${port}` })
    socket.write(`GET /mcp HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    await once(socket, 'data')
    return socket
  }
  const round = async () => {
    const session = await openSession(app)
    for (const socket of await Promise.all(times(8, () => openStream(session)))) socket.destroy()
  }
  for (let count = 0; count < 100; count++) await round()
  const flood = async () => {
    for (let count = 0; count < 500; count++) await round()
    await sleep(500)
  }
  report('4,000 streams of sessions, which are gone', await leftBy(flood), 4 * 1024 * 1024)
}

await measureKeys()
const app = await createServer(OPTIONS)
await app.listen()
await measureHandshakes(app)
await measureAnswers(app)
await measureStreams(app)
await app.close()
await measureTasks()
