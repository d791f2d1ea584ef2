// A client of one session, each of whose requests goes where the test says: every message is checked against the schema.
// What is refused since Redis did not answer in time, as it may not on a busy machine, is sent again.
import type { Test } from 'tap'
import { type EventListener, listenTo } from '../legacy/event-stream.ts'
import { ABLE, initializing, NEWEST, nextId } from '../legacy/session.ts'
import { wireOf } from '../wire/legacy.ts'
import type { WireMessage } from '../wire/modern.ts'

/** Where a request goes: a replica, or the proxy. */
export interface Place {
  readonly url: string
}

type Over = Readonly<Record<string, string>>

/** Half a minute of them. */
const MAX_TRIES = 150

export class RoamingSession {
  readonly id: string
  readonly #t: Test
  readonly #over: Over
  readonly #methods = new Map<string | number, string>()

  constructor(t: Test, id: string, over: Over = {}) {
    this.#t = t
    this.id = id
    this.#over = over
  }

  /** The same session, by somebody else. */
  as(over: Over): RoamingSession {
    return new RoamingSession(this.#t, this.id, over)
  }

  request(method: string, params?: object) {
    const id = nextId()
    this.#methods.set(id, method)
    return { jsonrpc: '2.0' as const, id, method, params }
  }

  /** One message as a POST. */
  post(at: Place, message: object): Promise<EventListener> {
    return this.#send(at, 'POST', { body: JSON.stringify(message) })
  }

  /** A request, and its response; what came before it is in `messages` of `post`. */
  async call(at: Place, method: string, params?: object): Promise<WireMessage> {
    return (await this.post(at, this.request(method, params))).last()
  }

  /** A call whose stream the test reads. */
  callTool(at: Place, name: string, args: object = {}, more: object = {}): Promise<EventListener> {
    return this.post(at, this.request('tools/call', { name, arguments: args, ...more }))
  }

  async textOf(at: Place, name: string, args: object = {}): Promise<string> {
    return textOf(await this.callTool(at, name, args))
  }

  /** @returns the status */
  async notify(at: Place, method: string, params?: object): Promise<number> {
    return (await this.post(at, { jsonrpc: '2.0', method, params })).status
  }

  async answer(at: Place, question: WireMessage, result: object): Promise<number> {
    return (await this.post(at, { jsonrpc: '2.0', id: question.id, result })).status
  }

  /** Its stream of news, or the rest of a stream that was left. */
  listen(at: Place, lastEventId?: string): Promise<EventListener> {
    const more: Over = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return this.#send(at, 'GET', { headers: { accept: 'text/event-stream', ...more } })
  }

  /** @returns the status */
  async end(at: Place): Promise<number> {
    return (await this.#send(at, 'DELETE')).status
  }

  async #send(at: Place, method: string, sent: { body?: string; headers?: Over } = {}): Promise<EventListener> {
    for (let tries = 1; ; tries++) {
      const heard = await this.#sendOnce(at, method, sent)
      if (heard.status !== 503 || tries === MAX_TRIES) return heard
      await heard.ended
      if (!/^State unavailable/.test(heard.messages[0]?.error?.message ?? '')) return heard
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }

  #sendOnce(at: Place, method: string, { body, headers = {} }: { body?: string; headers?: Over }) {
    return listenTo(this.#t, {
      url: at.url,
      method,
      headers: { ...usual, 'mcp-session-id': this.id, 'mcp-protocol-version': NEWEST, ...this.#over, ...headers },
      ...(body !== undefined && { body }),
      check: message =>
        wireOf(NEWEST)(message, message.method === undefined ? this.#methods.get(message.id!) : undefined),
    })
  }
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/**
 * A machine that is busy may keep Redis from answering in time, so that a replica says 503: as clients do, it is tried again.
 *
 * @param over headers of all its requests
 */
export async function openAt(
  t: Test,
  at: Place,
  over: Over = {},
  capabilities: object = ABLE,
): Promise<RoamingSession> {
  let opened = await opening(t, at, { over, capabilities })
  for (let tries = 1; opened.status === 503 && tries < MAX_TRIES; tries++) {
    await new Promise(resolve => setTimeout(resolve, 200))
    opened = await opening(t, at, { over, capabilities })
  }
  const id = opened.headers['mcp-session-id']
  if (opened.status !== 200 || typeof id !== 'string') throw new Error(`no session: ${opened.status}`)
  const session = new RoamingSession(t, id, over)
  await session.notify(at, 'notifications/initialized')
  return session
}

export const textOf = async (call: EventListener): Promise<string> => {
  const { result, error } = await call.last()
  return result?.content[0].text ?? `${error.code} ${error.message}`
}

async function opening(t: Test, at: Place, { over, capabilities }: { over: Over; capabilities: object }) {
  const opened = await listenTo(t, {
    url: at.url,
    method: 'POST',
    headers: { ...usual, ...over },
    body: JSON.stringify(initializing({ capabilities })),
    check: message => wireOf(NEWEST)(message, 'initialize'),
  })
  await opened.last()
  return opened
}
