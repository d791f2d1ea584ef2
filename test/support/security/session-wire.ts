// Streams of sessions over real sockets: each event with its id, as it comes.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import type { Test } from 'tap'
import type { WireMessage } from '../wire/modern.ts'
import { until } from './hostile.ts'
import { handshake, NEWEST } from './sessions.ts'

export interface SseEvent {
  id?: string
  event?: string
  data: string
  message: WireMessage | undefined
}

export interface Opened {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** So far. */
  readonly events: SseEvent[]
  /** Those that hold a message. */
  readonly messages: WireMessage[]
  readonly text: string
  readonly comments: number
  readonly hasEnded: boolean
  /** The connection is dropped without a word. */
  close(): void
  /** Waits for a message; looks for at most 5 s. */
  find(isIt: (message: WireMessage) => unknown): Promise<WireMessage>
  ended(): Promise<void>
}

export interface Asked {
  method?: string
  path?: string
  session?: string | undefined
  body?: object
  headers?: Record<string, string>
}

/** One request whose answer may be a stream. Closes with the test. */
export async function open(t: Test, port: number, asked: Asked = {}): Promise<Opened> {
  const { path = '/mcp', session, body, method = body === undefined ? 'GET' : 'POST', headers = {} } = asked
  const sent = http.request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    headers: {
      accept: body === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...headers,
    },
  })
  t.teardown(() => sent.destroy())
  sent.on('error', () => {})
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  return read(response, () => sent.destroy())
}

function read(response: http.IncomingMessage, close: () => void): Opened {
  const so = { text: '', hasEnded: false }
  response.setEncoding('utf8').on('data', chunk => (so.text += chunk))
  for (const end of ['end', 'close', 'error']) response.on(end, () => (so.hasEnded = true))
  const opened: Opened = {
    status: response.statusCode!,
    headers: response.headers,
    get text() {
      return so.text
    },
    get hasEnded() {
      return so.hasEnded
    },
    get events() {
      return eventsOf(so.text)
    },
    get messages() {
      return eventsOf(so.text).flatMap(({ message }) => message ?? [])
    },
    get comments() {
      return so.text.split('\n').filter(line => line.startsWith(':')).length
    },
    close,
    async find(isIt) {
      let found: WireMessage | undefined
      await until(() => (found = opened.messages.find(isIt)) !== undefined, `the message came: ${so.text.slice(-500)}`)
      return found!
    },
    ended: () => until(() => so.hasEnded, 'the stream ended'),
  }
  return opened
}

function eventsOf(text: string): SseEvent[] {
  const frames = text.split('\n\n').slice(0, -1)
  return frames.flatMap(frame => {
    const fields = Object.fromEntries(
      frame.split('\n').flatMap(line => {
        const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? []
        return name === undefined ? [] : [[name, value!]]
      }),
    )
    const { data, id, event } = fields
    if (data === undefined) return []
    return { data, ...(id !== undefined && { id }), ...(event !== undefined && { event }), message: messageOf(data) }
  })
}

function messageOf(data: string): WireMessage | undefined {
  return data.startsWith('{') ? (JSON.parse(data) as WireMessage) : undefined
}

/** Opens a session over the wire, which ends with the test, and with it all that it has under way. @returns its id */
export async function begin(
  t: Test,
  port: number,
  {
    revision = NEWEST,
    capabilities = {},
    headers = {},
  }: { revision?: string; capabilities?: object; headers?: Record<string, string> } = {},
): Promise<string> {
  const opening = () => open(t, port, { body: handshake(revision, capabilities), headers })
  let opened = await opening()
  // As clients do: a process that stood still with its machine takes itself for overloaded for a moment.
  for (let tries = 1; tries < 30 && opened.status === 503; tries++) {
    await new Promise(resolve => setTimeout(resolve, 1000))
    opened = await opening()
  }
  const id = opened.headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`no session: ${opened.status} ${opened.text}`)
  t.teardown(() => end(port, { 'mcp-session-id': id, ...headers }))
  return id
}

async function end(port: number, headers: Record<string, string>): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'DELETE', headers: { ...headers, connection: 'close' } }).catch(
    () => {},
  )
}

/** A POST that is over when it is answered. */
export async function post(t: Test, port: number, asked: Asked & { body: object }): Promise<Opened> {
  const opened = await open(t, port, asked)
  await opened.ended()
  return opened
}

/** A stream of news that nobody reads from. */
export async function unread(t: Test, port: number, session: string): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(
    `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${session}\r\n\r\n`,
  )
  return socket
}

const subscribe = (uri: string, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'resources/subscribe',
  params: { uri },
})

/** Watches so many resources, with names that are long. @returns their URIs */
export async function watchAll(t: Test, port: number, session: string, count: number): Promise<string[]> {
  const uris = Array.from({ length: count }, (_, index) => `doc:${index}:${'x'.repeat(1900)}`)
  for (const uri of uris) {
    const { status, text } = await post(t, port, { session, body: subscribe(uri) })
    if (status !== 200 || !text.includes('"result":{}')) throw new Error(`not subscribed: ${text}`)
  }
  return uris
}
