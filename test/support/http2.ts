// An app of somebody else that speaks HTTP/2, and a client that does.
import http2, { type ClientHttp2Stream, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type ToolrackOptions, toolrack } from '../../src/index.ts'
import { jsonLines } from './app.ts'

export interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Http2Client {
  readonly logs: { readonly text: string }
  readonly app: FastifyInstance
  /** The whole answer. */
  send(headers: OutgoingHttpHeaders, body?: string): Promise<Heard>
  /** An answer that stays open. @param how whether the body is only begun; its rest is written to the stream */
  open(headers: OutgoingHttpHeaders, body?: string, how?: { readonly isBegun: boolean }): OpenAnswer
}

export interface OpenAnswer {
  readonly stream: ClientHttp2Stream
  /** What has come, once it matches. */
  until(pattern: RegExp): Promise<string>
}

export async function http2Client(t: Test, options: ToolrackOptions = {}): Promise<Http2Client> {
  const logs = jsonLines()
  const app = Fastify({ http2: true, logger: { level: 'error', stream: logs.stream } }) as unknown as FastifyInstance
  await app.register(toolrack, { drainMs: 500, ...options })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const session = http2.connect(`http://localhost:${(app.server.address() as AddressInfo).port}`)
  t.teardown(async () => {
    session.destroy()
    await app.close()
  })

  function open(headers: OutgoingHttpHeaders, body?: string, { isBegun } = { isBegun: false }): OpenAnswer {
    const stream = session.request(headers, { endStream: body === undefined && !isBegun }).setEncoding('utf8')
    let text = ''
    let look = () => {}
    stream.on('data', chunk => {
      text += chunk
      look()
    })
    if (body !== undefined) stream.end(body)
    const until = (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        stream.once('close', () => reject(new Error(`closed; has come: ${text}`)))
        look = () => pattern.test(text) && resolve(text)
        look()
      })
    return { stream, until }
  }

  const send = (headers: OutgoingHttpHeaders, body?: string) =>
    new Promise<Heard>((resolve, reject) => {
      const { stream } = open(headers, body)
      let [text, heard]: [string, IncomingHttpHeaders] = ['', {}]
      stream.on('response', got => (heard = got))
      stream.on('data', chunk => (text += chunk)).on('error', reject)
      stream.on('end', () => resolve({ status: Number(heard[':status']), headers: heard, text }))
    })

  return { app, logs, send, open }
}
