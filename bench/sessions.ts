// npm run bench:sessions: what sessions cost, and that memory is freed, after calls too. Fails past
// the bounds below.
//   npm run bench:sessions -- --sessions=10000 --calls=1000000 --streams=10000
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { kib, mib, report } from './figures.ts'
import { modernCall } from './modern-call.ts'
import type { Held } from './session-server.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '10000' },
    calls: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '10000' },
  },
})
const [sessions, calls, streams] = [Number(values.sessions), Number(values.calls), Number(values.streams)]

const MAX_SESSION_BYTES = 2 * 1024
const MAX_LEFT_BYTES = 1024 * 1024
const MAX_LEAK_BYTES = 8 * 1024 * 1024
const MAX_STORM_MS = 30_000

const REVISION = '2025-11-25'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
})

interface Server {
  readonly child: ChildProcess
  readonly url: string
  held(): Promise<Held>
}

async function withServer(environment: Record<string, string>, run: (server: Server) => Promise<void>): Promise<void> {
  const child = fork(new URL('./session-server.ts', import.meta.url), {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc'],
  })
  try {
    const [url] = (await once(child, 'message')) as [string]
    const held = async () => {
      await sleep(200)
      child.send('held?')
      const [answer] = (await once(child, 'message')) as [Held]
      return answer
    }
    await run({ child, url, held })
  } finally {
    child.kill()
  }
}

async function open(url: string, amount: number): Promise<void> {
  const options = { url: `${url}/mcp`, method: 'POST' as const, headers: HEADERS, body: HELLO }
  const { non2xx, errors } = await autocannon({ ...options, amount, connections: 64 })
  if (non2xx + errors > 0) throw new Error(`${non2xx} handshakes were refused, ${errors} failed`)
}

async function sessionOf(url: string): Promise<string> {
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: HEADERS, body: HELLO })
  await response.text()
  return response.headers.get('mcp-session-id')!
}

const TTL_MS = 10_000

async function abandon({ url, held }: Server): Promise<void> {
  await open(url, 2000)
  await sleep(2 * TTL_MS + 1000)
  const before = await held()
  await open(url, sessions)
  const after = await held()
  const bytes = (after.heap - before.heap) / sessions
  report(`a session at rest, of ${sessions}`, kib(bytes), bytes <= MAX_SESSION_BYTES)
  await sleep(2 * TTL_MS + 1000)
  const left = (await held()).heap - before.heap
  report('heap that is left when they have expired', mib(left), left <= MAX_LEFT_BYTES)
}

const call = (name: string, args: object, meta = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } })

const CLIENTS = 64

type Requests = Parameters<Parameters<NonNullable<autocannon.Options['setupClient']>>[0]['setRequests']>[0]

/** @param requestsOf the requests that a client repeats */
async function callOften({ url, held }: Server, what: string, requestsOf: (client: number) => Requests): Promise<void> {
  const run = async (amount: number) => {
    let next = 0
    const { non2xx, errors } = await autocannon({
      url: `${url}/mcp`,
      amount,
      connections: CLIENTS,
      setupClient: client => client.setRequests(requestsOf(next++)),
    })
    if (non2xx + errors > 0) throw new Error(`${non2xx} calls were refused, ${errors} failed`)
  }
  // Compiles the code, and fills the event store, which is bounded.
  await run(20_000)
  const before = await held()
  await run(calls)
  const more = (await held()).heap - before.heap
  report(`heap after ${calls} calls ${what} more than after 20000`, mib(more), more <= MAX_LEAK_BYTES)
}

/** Half of the calls are answered over a stream, whose events are stored. */
async function callInSessions(server: Server): Promise<void> {
  const ids = await Promise.all(Array.from({ length: CLIENTS }, () => sessionOf(server.url)))
  await callOften(server, `in ${CLIENTS} sessions`, client => {
    const request = { method: 'POST' as const, headers: { ...HEADERS, 'mcp-session-id': ids[client % CLIENTS]! } }
    return [
      { ...request, body: call('echo', { message: 'hello' }) },
      { ...request, body: call('steps', {}, { progressToken: 1 }) },
    ]
  })
}

const callWithoutSessions = (server: Server) =>
  callOften(server, 'of 2026-07-28', () => [
    { method: 'POST', ...modernCall('tools/call', { name: 'echo', arguments: { message: 'hello' } }) },
    { method: 'POST', ...modernCall('tools/call', { name: 'steps', arguments: {} }) },
  ])

/** Opens a notification stream, and retries as the server asks. @returns the number of refusals */
async function listen(url: string, session: string, sockets: net.Socket[]): Promise<number> {
  const { port } = new URL(url)
  for (let refused = 0; ; refused++) {
    const socket = net.connect(Number(port), '127.0.0.1').setEncoding('utf8')
    socket.on('error', () => {})
    socket.write(
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${session}\r\n\r\n`,
    )
    const [head] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [string | boolean]
    if (String(head).startsWith('HTTP/1.1 200')) {
      sockets.push(socket)
      return refused
    }
    socket.destroy()
    await sleep(Number(/retry-after: (\d+)/i.exec(String(head))?.[1] ?? 1) * 1000)
  }
}

async function storm({ url, held }: Server): Promise<void> {
  const ids: string[] = []
  const sockets: net.Socket[] = []
  while (ids.length < streams) ids.push(...(await Promise.all(Array.from({ length: 250 }, () => sessionOf(url)))))
  const idle = await held()
  const join = async (atOnce: number) => {
    const waiting = [...ids]
    const refused = await Promise.all(
      Array.from({ length: atOnce }, async () => {
        let count = 0
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) count += await listen(url, id, sockets)
        return count
      }),
    )
    return refused.reduce((sum, count) => sum + count, 0)
  }
  await join(250)
  const full = await held()
  report(`a stream of news, of ${streams}`, kib((full.rss - idle.rss) / streams), true)

  const startedMs = performance.now()
  for (const socket of sockets.splice(0)) socket.destroy()
  const refused = await join(1000)
  const elapsedMs = performance.now() - startedMs
  const figure = `${(elapsedMs / 1000).toFixed(1)} s, ${refused} told to come later`
  report(`${streams} streams that drop and come back at once`, figure, elapsedMs <= MAX_STORM_MS)

  for (const socket of sockets) socket.destroy()
  await sleep(3000)
  const { descriptors } = await held()
  const more = descriptors - idle.descriptors
  report('descriptors more than before them', String(more), Number.isNaN(more) || more <= 100)
}

console.log('| what | figure | bound |\n| --- | ---: | --- |')
await withServer({ SESSION_TTL_MS: String(TTL_MS) }, abandon)
await withServer({}, callInSessions)
await withServer({}, callWithoutSessions)
await withServer({}, storm)
