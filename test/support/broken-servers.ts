// MCP servers that are wrong in one way each, over real sockets.
import type { IncomingMessage, ServerResponse } from 'node:http'
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
