// `npm run replicas`: runs the topology of docker-compose.yml on this machine: two server
// processes, Redis, and a small reverse proxy that gives each process the next request in turn.
// Uses the Redis of REDIS_URL if it answers; otherwise starts one. On SIGINT or SIGTERM, ends all
// that it started.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { readEnvironment } from '../packages/environment/src/read.ts'
import { freePort } from '../test/support/free-port.ts'
import { type Proxy as ReverseProxy, startProxy } from '../test/support/replicas/proxy.ts'
import { RedisServer } from '../test/support/servers/redis-server.ts'

const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url))
const START_MS = 20_000
const REVISION = '2026-07-28'

const children: ChildProcess[] = []
let redis: RedisServer | undefined
let proxy: ReverseProxy | undefined
let isEnding = false

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

async function redisUrl(): Promise<{ url: string; what: string }> {
  const { REDIS_URL: given } = process.env
  if (given !== undefined && (await answers(given))) return { url: given, what: 'that of REDIS_URL' }
  redis = new RedisServer(await freePort())
  await redis.start()
  return { url: redis.url, what: `its own, on port ${redis.port}` }
}

async function startReplica(port: number, environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [SERVER], {
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  child.on('exit', code => {
    if (!isEnding) void stop(new Error(`the replica on port ${port} has ended: ${code}`))
  })
  const ready = `http://127.0.0.1:${port}/ready`
  for (const endMs = Date.now() + START_MS; Date.now() < endMs; await new Promise(done => setTimeout(done, 50))) {
    if (isEnding) return
    const isReady = await fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
  throw new Error(`the replica on port ${port} is not ready after ${START_MS / 1000} s`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

async function stop(cause?: unknown): Promise<void> {
  if (isEnding) return
  isEnding = true
  if (cause !== undefined) process.stderr.write(`${cause instanceof Error ? cause.message : cause}\n`)
  process.exitCode = cause === undefined ? 0 : 1
  // Proxy and Redis stay up until the replicas have drained.
  await Promise.all(children.map(end))
  await proxy?.close()
  await redis?.close()
}

function curlLine(url: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${REVISION}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: calculate_sum',
  ]
  const params = { name: 'calculate_sum', arguments: { a: 2, b: 3 }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return ['curl -s', url, ...headers.map(header => `-H '${header}'`), `-d '${body}'`].join(' ')
}

async function main(): Promise<void> {
  const { port, mcpPath, publicUrl } = readEnvironment()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => void stop())
  const { url: redisAt, what } = await redisUrl()
  const ports = [await freePort(), await freePort()]
  proxy = await startProxy(() => ports, port)
  const url = new URL(mcpPath, proxy.url).href
  // Clients know only the proxy, so the audience of their tokens is its URL.
  const environment = {
    REDIS_URL: redisAt,
    PUBLIC_URL: publicUrl ?? url,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
  }
  await Promise.all(ports.map(each => startReplica(each, environment)))
  if (!isEnding) console.log(`Redis: ${what}. Replicas: ports ${ports.join(' and ')}.\n\n${url}\n\n${curlLine(url)}`)
}

main().catch(stop)
