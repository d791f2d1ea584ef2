// MCP servers that are wrong in one way each, over real sockets.
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listen } from './servers/http-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: fakes build messages freely
type Json = any

export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: Json
  /** How many requests came before. */
  readonly count: number
}

type Answers = Record<string, (asked: Asked) => Json | undefined>

export const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'fake', version: '1' },
}

/** A server of sessions at `/mcp`; a method without an answer is -32601. */
export async function fakeServer(t: Test, answers: Answers, guard?: (asked: Asked) => boolean): Promise<string> {
  let count = 0
  const all: Answers = {
    initialize: () => INITIALIZED,
    ping: () => ({}),
    'tools/list': () => ({ tools: [] }),
    ...answers,
  }
  const origin = await listen(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = body === '' ? {} : JSON.parse(body)
    const asked = { request, response, message, count: count++ }
    if (guard?.(asked) === true) return
    if (request.url !== '/mcp') return send(response, 404, 'not here', 'text/plain')
    if (request.method !== 'POST') return send(response, 405, '', 'text/plain')
    if (message.id === undefined) return send(response, 202, '', 'text/plain')
    const result = Object.hasOwn(all, message.method) ? all[message.method]!(asked) : undefined
    if (response.headersSent) return
    const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
    sendJson(response, 200, { jsonrpc: '2.0', id: message.id, ...answer })
  })
  return `${origin}/mcp`
}

export function send(response: ServerResponse, status: number, body: string, type: string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': type, ...headers }).end(body)
}

export const sendJson = (response: ServerResponse, status: number, body: Json, headers: object = {}): void =>
  send(response, status, JSON.stringify(body), 'application/json', headers)

/** A proxy that passes an answer on once it has ended. */
export const bufferingProxy = (t: Test, target: string): Promise<string> =>
  listen(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
    const body = chunks.length === 0 ? undefined : Buffer.concat(chunks)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      const { method = 'GET', url = '/' } = request
      const answer = await fetch(new URL(url, target), { method, headers, body, signal: gone.signal })
      const text = await answer.text()
      send(response, answer.status, text, answer.headers.get('content-type') ?? 'text/plain')
    } catch {
      response.destroy()
    }
  })

export interface PassedAnswer {
  status: number
  readonly headers: IncomingHttpHeaders
}

export interface Rewriting {
  /** Answers in place of the server. @returns whether it did */
  readonly answers?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Changes the headers of a request before it is passed on. */
  readonly onRequest?: (headers: IncomingHttpHeaders) => void
  /** Changes status and headers of an answer before they are passed on. */
  readonly onAnswer?: (answer: PassedAnswer, request: IncomingMessage) => void
  /** Of event streams, ms: as an idle time-out does. */
  readonly cutAfterMs?: number
}

/**
 * A proxy that passes streams on as they come, and changes what a test wants.
 *
 * @param target a URL, or which one by the body
 */
export async function rewritingProxy(
  t: Test,
  target: string | ((body: string) => string),
  { answers, onRequest, onAnswer, cutAfterMs }: Rewriting = {},
): Promise<string> {
  const origin = await listen(t, async (request, response) => {
    if (answers?.(request, response) === true) return
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', headers } = request
    onRequest?.(headers)
    const base = typeof target === 'string' ? target : target(body.toString())
    const passed = requestHttp(new URL(request.url!, base), { method, headers, agent: false }).end(body)
    response.on('close', () => passed.destroy())
    passed.on('error', () => response.destroy())
    passed.on('response', incoming => {
      const answer = { status: incoming.statusCode ?? 500, headers: incoming.headers }
      onAnswer?.(answer, request)
      incoming.on('error', () => response.destroy())
      incoming.pipe(response.writeHead(answer.status, answer.headers))
      response.flushHeaders()
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true
      if (cutAfterMs !== undefined && isStream) setTimeout(() => response.destroy(), cutAfterMs)
    })
  })
  return `${origin}/mcp`
}

/** A server of sessions, in place of whose answer a test sends its own. */
export const answering = (t: Test, answer: (asked: Asked, body: Json) => void, answers = {}) =>
  fakeServer(t, answers, asked => {
    const { message, request } = asked
    if (request.method !== 'POST' || message.id === undefined) return false
    const results: Json = { initialize: INITIALIZED, ping: {}, 'tools/list': { tools: [] }, ...answers }
    if (!Object.hasOwn(results, message.method)) return false
    answer(asked, { jsonrpc: '2.0', id: message.id, result: results[message.method] })
    return true
  })

/** A server that keeps sessions, and knows them by the header only. */
export const strict = (t: Test, unknown = 404) => {
  const known = new Set<string>()
  return fakeServer(
    t,
    {
      initialize: ({ response }) => {
        const id = crypto.randomUUID()
        known.add(id)
        response.setHeader('mcp-session-id', id)
        return INITIALIZED
      },
    },
    ({ request, response, message }) => {
      const id = request.headers['mcp-session-id']
      if (request.method !== 'POST' || message.method === 'initialize' || known.has(String(id))) return false
      const error = { code: -32000, message: id === undefined ? 'Session required' : 'Session not found' }
      sendJson(response, id === undefined ? 400 : unknown, { jsonrpc: '2.0', id: null, error })
      return true
    },
  )
}

/** The origin that `preflighted` allows. */
export const PAGE = 'https://app.example'

/** A server whose preflights are right, and whose answers have the headers of `onAnswer`. */
export const preflighted = async (t: Test, onAnswer?: (headers: IncomingHttpHeaders, answer: PassedAnswer) => void) =>
  rewritingProxy(t, await strict(t), {
    answers: ({ method }, response) => {
      if (method !== 'OPTIONS') return false
      response.writeHead(204, {
        'access-control-allow-origin': PAGE,
        'access-control-allow-headers':
          'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id',
      })
      response.end()
      return true
    },
    onAnswer: answer => onAnswer?.(answer.headers, answer),
  })
