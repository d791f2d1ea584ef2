// A client that measures how long each answer takes, and asks for everything that needs shared state.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '../../support/app.ts'
import { initializing, NEWEST } from '../../support/client/client.ts'
import { ABLE_AND_TASKS } from '../../support/tasks/modern.ts'

export interface Timed {
  readonly what: string
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any
  readonly ms: number
}

export interface Sending {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: object
}

const agent = new http.Agent({ keepAlive: true })

/** @throws Error where nothing came within 30 s */
export function send(url: string, what: string, { method = 'POST', headers, body }: Sending): Promise<Timed> {
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers, agent, signal: AbortSignal.timeout(30_000) }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => (text += chunk))
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers } = response
        const ms = performance.now() - startedMs
        resolve({ what, status, headers, text, body: bodyOf(text), ms })
      })
    })
    sent.on('error', error => reject(new Error(`${what}: ${error.message}`)))
    sent.end(body && JSON.stringify(body))
  })
}

/** Like a client that is refused for now: on a busy machine Redis may not answer in time, whatever is the matter with it. */
export async function served(send: () => Promise<Timed>): Promise<Timed> {
  for (const endMs = performance.now() + 15_000; ; await sleep(100)) {
    const answer = await send()
    if (answer.status !== 503 || performance.now() > endMs) return answer
  }
}

function bodyOf(text: string): unknown {
  const json = text
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .at(-1)
    ?.slice(6)
  try {
    return JSON.parse(json ?? text)
  } catch {
    return undefined
  }
}

/** One request of 2026-07-28. @param address of its client, each with a limit of its own */
export function ask(url: string, method: string, params: Record<string, unknown> = {}, address = '10.0.0.1') {
  const { message, headers } = request(method, params, { capabilities: ABLE_AND_TASKS })
  return send(url, method, { headers: { ...headers, 'x-forwarded-for': address }, body: message })
}

export const callTool = (url: string, name: string, more: object = {}, address?: string) =>
  ask(url, 'tools/call', { name, arguments: {}, ...more }, address)

/** Like `callTool`, by a client that knows no tasks. */
export function callPlain(url: string, name: string, more: object = {}) {
  const { message, headers } = request(
    'tools/call',
    { name, arguments: {}, ...more },
    { capabilities: { elicitation: {} } },
  )
  return send(url, `tools/call ${name}`, { headers, body: message })
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A session of 2025-11-25. */
export class Held {
  readonly id: string
  readonly opened: Timed

  constructor(opened: Timed) {
    this.opened = opened
    this.id = String(opened.headers['mcp-session-id'])
  }

  get headers(): Record<string, string> {
    return { ...usual, 'mcp-session-id': this.id, 'mcp-protocol-version': NEWEST }
  }

  call(url: string, method: string, params: object = {}): Promise<Timed> {
    return send(url, `session ${method}`, { headers: this.headers, body: { jsonrpc: '2.0', id: 's', method, params } })
  }

  /** Comes back to a stream. */
  resume(url: string, lastEventId: string): Promise<Timed> {
    const headers = { ...this.headers, accept: 'text/event-stream', 'last-event-id': lastEventId }
    return send(url, 'GET resume', { method: 'GET', headers })
  }
}

export const initialize = (url: string): Promise<Timed> =>
  send(url, 'initialize', { headers: usual, body: initializing() })

export async function openSession(url: string): Promise<Held> {
  const opened = await served(() => initialize(url))
  if (opened.status !== 200) throw new Error(`no session: ${opened.status} ${opened.text}`)
  return new Held(opened)
}

/** What a server says of itself. */
export const look = (url: string, path: '/ready' | '/health') =>
  send(new URL(path, url).href, path, { method: 'GET', headers: {} })
