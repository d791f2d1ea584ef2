// The notifications of a call as named events, for clients without JSON-RPC: `progress` and `log`, then
// the end of the call. https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { FastifyReply } from 'fastify'
import { isObject } from '../protocol/messages.ts'
import type { DetachedStream, NotificationSink } from '../request/exchange.ts'
import { ReplyStream } from './respond.ts'
import type { StreamRegistry } from './sse.ts'

const EVENTS: Readonly<Record<string, string>> = {
  'notifications/progress': 'progress',
  'notifications/message': 'log',
}

/** Opens the stream at the first event, or if the request is quiet for long. */
export class NamedEventSink implements NotificationSink {
  readonly #stream: ReplyStream

  constructor(streams: StreamRegistry, reply: FastifyReply) {
    this.#stream = new ReplyStream(streams, reply, { namesSse: true })
  }

  get isOpen(): boolean {
    return this.#stream.isOpen
  }

  keepAlive(): void {
    this.#stream.keepAlive()
  }

  send(json: string): boolean {
    const { method, params } = JSON.parse(json)
    const event = EVENTS[method]
    if (event === undefined || this.#stream.isTooLate) return false
    return this.#stream.open().sendEvent(event, JSON.stringify(withoutToken(params)))
  }

  onDrain(listener: () => void): void {
    this.#stream.onDrain(listener)
  }

  /** Sends the last event and ends the stream. */
  finish(event: string, json: string): void {
    this.#stream.open().finish(json, event)
  }

  detach(): DetachedStream {
    throw new Error('a call by plain HTTP has no stream that outlives it')
  }
}

function withoutToken(params: unknown): unknown {
  if (!isObject(params)) return params
  const { progressToken: _token, ...rest } = params
  return rest
}
