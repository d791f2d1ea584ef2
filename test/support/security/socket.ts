// Bytes over a socket of its own, for what no HTTP client would send.
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import type { App } from '../app.ts'
import { assertAlive, assertClean, ECHO_HEADERS, echoCall, recorder, target } from './probe.ts'

export interface Server {
  readonly app: App
  readonly port: number
  /** What reached the tool `echo`. */
  readonly received: unknown[]
}

/** A target that listens, with the tool `echo`. */
export async function open(t: Test, options: ServerOptions = {}): Promise<Server> {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool], ...options })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as AddressInfo).port, received }
}

/** Checks what must hold after every attack: what was heard, the log, and a probe. */
export async function assertUnharmed(app: App, { responses }: Talk): Promise<void> {
  for (const { headers, body } of responses) assertClean(`${headers} ${body}`, 'reply')
  assertClean(app.logs.text, 'log')
  await assertAlive(app)
}

export interface RawResponse {
  status: number
  headers: string
  body: string
}

export interface Talk {
  responses: RawResponse[]
  isClosed: boolean
}

/**
 * Writes bytes to a socket and reads what comes back: until the server closes, or `answers` responses are there.
 * A server that does neither fails the test by its timeout.
 */
export function talk(port: number, bytes: string | Buffer, answers = Number.POSITIVE_INFINITY): Promise<Talk> {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1')
    let text = ''
    const finish = (isClosed: boolean) => {
      socket.destroy()
      resolve({ responses: parseResponses(text), isClosed })
    }
    socket.setEncoding('latin1')
    socket.on('data', chunk => {
      text += chunk
      if (parseResponses(text).length >= answers) finish(false)
    })
    socket.on('error', () => {}) // a reset is followed by close
    socket.on('close', () => finish(true))
    socket.write(bytes)
  })
}

function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return responses
    const headers = rest.slice(0, end)
    const length = /^content-length: (\d+)$/im.exec(headers)
    const isChunked = /^transfer-encoding: chunked$/im.test(headers)
    const bodyEnd = isChunked ? rest.indexOf('0\r\n\r\n', end) + 5 : end + 4 + Number(length?.[1] ?? 0)
    if (rest.length < bodyEnd || bodyEnd < end) return responses
    responses.push({ status: Number(rest.slice(9, 12)), headers, body: rest.slice(end + 4, bodyEnd) })
    rest = rest.slice(bodyEnd)
  }
}

/** A right call of `echo` as bytes; header lines are put behind the usual ones, which can be replaced. */
export function rawCall(lines: string[] = [], body = echoCall(), first = 'POST /mcp HTTP/1.1'): string {
  const named = new Set(lines.map(line => line.split(':')[0]!.toLowerCase()))
  const usual = Object.entries({ ...ECHO_HEADERS, 'content-length': String(Buffer.byteLength(body)) })
    .filter(([name]) => !named.has(name))
    .map(([name, value]) => `${name}: ${value}`)
  return `${[first, ...usual, ...lines].join('\r\n')}\r\n\r\n${body}`
}
