// How requests of tests reach a server: through `inject`, or over a socket.
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { defined } from '../request.ts'
import { type Check, TestReply } from './reply.ts'

/** Laid over the usual headers; `undefined` takes one away. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface HttpRequest {
  /** Default: POST with a body, else GET. */
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'PUT' | 'PATCH' | 'OPTIONS'
  readonly path?: string
  /** The id of the session that it names. */
  readonly session?: string | undefined
  readonly headers?: Headers
  /** Sent as it is if it is text or bytes, else as JSON. */
  readonly body?: unknown
  /** Each message of the reply is checked by it. */
  readonly check?: Check
}

export interface Transport {
  /** @returns the reply once it has ended */
  send(request: HttpRequest): Promise<TestReply>
  /** Uses a connection of its own. @returns the reply once its head is there */
  stream(request?: HttpRequest): Promise<TestReply>
  /** The same, to another place of the server. */
  to(place: Place): Transport
}

/** Where a request goes: a replica, or the proxy before them. */
export interface Place {
  readonly url: string
}

const BOTH = 'application/json, text/event-stream'
const unchecked: Check = message => message

function headersOf({ method, session, headers, body }: HttpRequest): Record<string, string> {
  const all: Headers = {
    accept: body === undefined && method === undefined ? 'text/event-stream' : BOTH,
    'content-type': body === undefined ? undefined : 'application/json',
    'mcp-session-id': session,
    ...headers,
  }
  return defined(all)
}

function payloadOf({ body }: HttpRequest): string | Buffer | undefined {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

const methodOf = ({ method, body }: HttpRequest) => method ?? (body === undefined ? 'GET' : 'POST')

/** Streams go over sockets, to the address where the app listens. */
export function inject(app: FastifyInstance, t?: Test): Transport {
  return {
    async send(request) {
      const payload = payloadOf(request)
      const response = await app.inject({
        method: methodOf(request),
        url: request.path ?? '/mcp',
        headers: { host: 'localhost', ...headersOf(request) },
        ...(payload !== undefined && { payload }),
      })
      const head = { status: response.statusCode, headers: response.headers as http.IncomingHttpHeaders }
      const reply = new TestReply(head, request.check ?? unchecked)
      reply.receive(response.body)
      reply.end()
      return reply
    },
    stream: request => socket(urlOf(app), t).stream(request),
    to: ({ url }) => socket(url, t),
  }
}

/** @param at the URL of the endpoint, or its port @param t closes what is open at its end */
export function socket(at: string | number, t?: Test): Transport {
  const url = typeof at === 'number' ? `http://127.0.0.1:${at}/mcp` : at
  const stream = async (request: HttpRequest = {}) => {
    const headers = headersOf(request)
    const sent = http.request(new URL(request.path ?? '', url), { method: methodOf(request), headers, agent: false })
    t?.teardown(() => sent.destroy())
    sent.on('error', () => {}).end(payloadOf(request))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const head = { status: response.statusCode!, headers: response.headers }
    const reply = new TestReply(head, request.check ?? unchecked, sent)
    response.setEncoding('utf8').on('data', chunk => reply.receive(chunk))
    response.on('close', () => reply.end()).on('error', () => {})
    return reply
  }
  const send = async (request: HttpRequest) => {
    const reply = await stream(request)
    await reply.ended
    return reply
  }
  return { send, stream, to: place => socket(place.url, t) }
}

/** Sends again for half a minute what is refused so, as clients do that are told when to come back. */
export function retrying(transport: Transport, isAway: (reply: TestReply) => Promise<boolean>): Transport {
  const retry = async (send: () => Promise<TestReply>) => {
    for (let tries = 1; ; tries++) {
      const reply = await send()
      if (tries === MAX_TRIES || !(await isAway(reply))) return reply
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }
  return {
    send: request => retry(() => transport.send(request)),
    stream: request => retry(() => transport.stream(request)),
    to: place => retrying(transport.to(place), isAway),
  }
}

const MAX_TRIES = 150
const RETRY_MS = 200

/** A replica, or the proxy before it. On a busy machine Redis may not answer it in time. */
export const replica = ({ url }: Place, t?: Test): Transport =>
  retrying(socket(url, t), async reply => {
    if (reply.status !== 503) return false
    await reply.ended
    return /^State unavailable/.test(reply.error?.message ?? '')
  })

/** @returns the URL of the endpoint of an app that listens */
export function urlOf(app: FastifyInstance): string {
  return `http://127.0.0.1:${(app.server.address() as { port: number }).port}/mcp`
}
