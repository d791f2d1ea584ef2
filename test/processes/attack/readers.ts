// npm run attack:readers: answers that nobody reads, or only slowly, from one address, of every kind that there is.
//   npm run attack:readers -- --only=pipelined
// Prints the server's resident memory before, under and after each; exits with 1 where one took more than the bound.
import { once } from 'node:events'
import { asBytes, bytesOf, type Flood, type FloodClient, runFloods } from './resident.ts'

/** Well below the 1 GiB that deploy/kubernetes gives a pod. */
export const MAX_RESIDENT = 768 * 2 ** 20

const READ = bytesOf('resources/read', { uri: 'big:1' })
const call = (name: string, headers: Record<string, string> = {}) =>
  bytesOf('tools/call', { name, arguments: {} }, headers)
const JSON_ONLY = { accept: 'application/json' }
const SSE_FIRST = { accept: 'text/event-stream, application/json;q=0.5' }

/** So many connections, each with the same bytes. */
const each = (count: number, bytes: string, bytesPerS?: number) => async (_port: number, client: FloodClient) => {
  await Promise.all(Array.from({ length: count }, () => client.open(bytes, bytesPerS)))
}

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function openSession(port: number, version: string): Promise<Record<string, string>> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'flood', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: TYPES, body })
  await response.text()
  return { ...TYPES, 'mcp-session-id': response.headers.get('mcp-session-id')! }
}

const called = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })

async function batches(port: number, client: FloodClient): Promise<void> {
  const headers = await openSession(port, '2025-03-26')
  let id = 0
  const batch = () => JSON.stringify(Array.from({ length: 20 }, () => called(++id, 'large')))
  await Promise.all(Array.from({ length: 25 }, () => client.open(asBytes(headers, batch()))))
}

/** One answer as a stream, to which clients come back. */
async function replays(port: number, client: FloodClient): Promise<void> {
  const headers = await openSession(port, '2025-11-25')
  const body = JSON.stringify({ ...called(1, 'progress'), params: { name: 'progress', _meta: { progressToken: 1 } } })
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
  const text = await response.text()
  const first = /^id: (.*)$/m.exec(text)?.[1]
  const get = asBytes({ ...headers, accept: 'text/event-stream', 'last-event-id': first! }, '', 'GET /mcp HTTP/1.1')
  await Promise.all(Array.from({ length: 300 }, () => client.open(get)))
}

async function httpSse(_port: number, client: FloodClient): Promise<void> {
  const accept = { accept: 'text/event-stream' }
  const ask = async () => {
    const socket = await client.open(asBytes(accept, '', 'GET /sse HTTP/1.1'))
    const [head] = (await once(socket, 'data')) as [Buffer]
    const path =
      /data: (\S+)/.exec(head.toString())?.[1] ??
      /data: (\S+)/.exec(String((await once(socket.resume(), 'data'))[0]))?.[1]
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'flood', version: '1' } }
    const post = async (message: object) => {
      await client.open(asBytes(TYPES, JSON.stringify(message), `POST ${path} HTTP/1.1`))
    }
    await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    await once(socket.resume(), 'data')
    socket.pause()
    await post(called(1, 'large'))
  }
  await Promise.all(Array.from({ length: 190 }, ask))
}

export const FLOODS: readonly Flood[] = [
  { name: '500 of a resource of 3 MB, read slowly', run: each(500, READ, 16 * 1024) },
  { name: '300 of a call of 3.9 MB, unread', run: each(300, call('large', JSON_ONLY)) },
  { name: '300 of the same as a stream', run: each(300, call('large', SSE_FIRST)) },
  { name: '256 that are answered in one turn', run: each(256, call('together', JSON_ONLY)) },
  { name: '20 connections, 25 pipelined', run: each(20, call('large', JSON_ONLY).repeat(25)) },
  { name: '500 of a list of 0.9 MB', run: each(500, bytesOf('tools/list')) },
  { name: '25 batches of 20', run: batches },
  { name: '300 that come back to a stream', run: replays },
  { name: '190 streams of HTTP+SSE', environment: { HTTP_SSE: 'true' }, run: httpSse },
]

if (import.meta.main) await runFloods(FLOODS, MAX_RESIDENT)
