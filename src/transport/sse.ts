// The event streams of one server: opened over a response, looked after by one timer, ended together.
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UnsentBytes } from '../unsent-bytes.ts'
import { type Clock, EventStream, TICK_MS } from './event-stream.ts'
import { StreamShares } from './stream-shares.ts'

export const SSE_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

interface StreamParts {
  /** Where what their readers have not taken is counted. */
  readonly unsent: UnsentBytes
  /** Never steps back; by the other one tokens end. */
  readonly clock?: Clock | undefined
  readonly unixClock?: Clock
}

/** The open streams of one server, and the one timer that looks after all of them. */
export class Streams {
  readonly shares = new StreamShares()
  readonly #open = new Set<EventStream>()
  readonly #clock: Clock
  readonly #unixClock: Clock
  readonly #unsent: UnsentBytes
  #timer: NodeJS.Timeout | undefined

  constructor({ unsent, clock = () => performance.now(), unixClock = Date.now }: StreamParts) {
    this.#unsent = unsent
    this.#clock = clock
    this.#unixClock = unixClock
  }

  /** Those that are open, and those that closed since the last tick. */
  get size(): number {
    return this.#open.size
  }

  /** Whether one more may open; those that have closed are forgotten first, so that a storm of returns fits. */
  hasRoom(max: number): boolean {
    if (this.#open.size >= max) for (const stream of this.#open) if (stream.isClosed) this.#open.delete(stream)
    return this.#open.size < max
  }

  open(reply: FastifyReply): EventStream {
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...SSE_HEADERS })
    const { caller, clientKey, raw } = reply.request
    const { socket } = raw
    const stream = new EventStream(response, this.#clock, caller, () => this.#unsent.of(clientKey, socket))
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref()
    return stream
  }

  /** One that is held for longer than its request is served; its head leaves at once. */
  hold(reply: FastifyReply): EventStream {
    this.shares.take(reply)
    const stream = keep(this.open(reply), reply)
    reply.raw.flushHeaders()
    return stream
  }

  /** Ends all that are still open: the server goes down. */
  end(): void {
    for (const stream of this.#open) stream.end()
  }

  tick(): void {
    const nowMs = this.#clock()
    const unixMs = this.#unixClock()
    for (const stream of this.#open) {
      if (stream.isClosed) this.#open.delete(stream)
      else stream.tick(nowMs, unixMs)
    }
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** From now on it is held for longer than its request is served, but no longer than its caller's token lasts. */
export function keep(stream: EventStream, { request }: FastifyReply): EventStream {
  stream.expire()
  forget(request)
  return stream
}

// Thousands of streams may be held for days, and none needs what its request said.
function forget(request: FastifyRequest): void {
  request.body = undefined
  request.raw.headers = {}
  request.raw.rawHeaders = []
}
