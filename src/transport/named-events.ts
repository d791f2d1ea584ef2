// The notifications of a call as named events, for clients that speak no JSON-RPC: `progress` and
// `log`, then how the call ended. https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { FastifyReply } from 'fastify'
import { isObject } from '../protocol/messages.ts'
import type { DetachedStream, NotificationSink } from '../request/exchange.ts'
import type { SseResponse } from './event-stream.ts'
import type { StreamRegistry } from './sse.ts'

const EVENTS: Readonly<Record<string, string>> = {
  'notifications/progress': 'progress',
  'notifications/message': 'log',
}

/** Opens the stream at the first event. */
export class NamedEventSink implements NotificationSink {
  readonly #streams: StreamRegistry
  readonly #reply: FastifyReply
  #response: SseResponse | undefined
  #onDrain: (() => void) | undefined

  constructor(streams: StreamRegistry, reply: FastifyReply) {
    this.#streams = streams
    this.#reply = reply
  }

  get isOpen(): boolean {
    return this.#response !== undefined
  }

  send(json: string): boolean {
    const { method, params } = JSON.parse(json)
    const event = EVENTS[method]
    // Drops what a tool sends after its call was answered.
    if (event === undefined || (!this.isOpen && (this.#reply.sent || this.#reply.raw.destroyed))) return false
    return this.#open().sendEvent(event, JSON.stringify(withoutToken(params)))
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.#response?.onDrain(listener)
  }

  /** Sends the last event and ends the stream. */
  finish(event: string, json: string): void {
    this.#open().finish(json, event)
  }

  detach(): DetachedStream {
    throw new Error('a call by plain HTTP has no stream that outlives it')
  }

  #open(): SseResponse {
    if (this.#response === undefined) {
      this.#response = this.#streams.open(this.#reply)
      if (this.#onDrain !== undefined) this.#response.onDrain(this.#onDrain)
    }
    return this.#response
  }
}

function withoutToken(params: unknown): unknown {
  if (!isObject(params)) return params
  const { progressToken: _token, ...rest } = params
  return rest
}
