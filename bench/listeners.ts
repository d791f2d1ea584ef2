// Opens thousands of listeners over raw sockets, which only count their notifications.
import { once } from 'node:events'
import net from 'node:net'
import type { Call } from './modern-call.ts'

const READY = 'notifications/subscriptions/acknowledged'
const NEWS = 'notifications/tools/list_changed'
const AT_ONCE = 32

export interface Listener {
  readonly socket: net.Socket
  told: number
  /** Time of the latest notification. */
  atMs: number
}

async function open(url: string, { headers, body }: Call): Promise<Listener> {
  const { port, host } = new URL(url)
  const socket = net.connect(Number(port), '127.0.0.1')
  const listener: Listener = { socket, told: 0, atMs: 0 }
  const all = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  let text = ''
  while (!text.includes(READY)) {
    const [chunk] = await once(socket, 'data', { signal: AbortSignal.timeout(30_000) })
    text += chunk
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(`a listener was refused: ${text.slice(0, 300)}`)
  }
  let rest = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const parts = (rest + chunk).split(NEWS)
    rest = parts.at(-1)!.slice(1 - NEWS.length)
    if (parts.length === 1) return
    listener.told += parts.length - 1
    listener.atMs = performance.now()
  })
  socket.on('error', () => {})
  return listener
}

/** @param urls the listeners are spread over them in turn */
export async function openListeners(urls: readonly string[], count: number, call: Call): Promise<Listener[]> {
  const listeners: Listener[] = []
  let next = 0
  const opener = async () => {
    while (next < count) {
      const index = next++
      listeners.push(await open(urls[index % urls.length]!, call))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, opener))
  return listeners
}
