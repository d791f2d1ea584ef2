// The event streams of one server: opened over a response, looked after by one timer, ended
// together. Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import { type Clock, SseResponse, STREAM_TICK_MS } from './event-stream.ts'

// How many streams one subject holds at once. Who is not verified has no share: an address may
// stand for a thousand listeners, and what all hold together is bounded by the process.

/** Streams that one subject holds: those that stay open for news, not those that answer a call. */
export const MAX_STREAMS_PER_SUBJECT = 16

/** As long as a stream that nobody reads may take to be noticed, s. */
const RETRY_AFTER_S = 10

export class StreamQuota {
  readonly #held = new Map<string, number>()

  /** Subjects that hold one. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Counts one more until its connection closes.
   *
   * @throws McpError RATE_LIMITED (429) before anything is sent
   */
  acquire({ request, raw }: FastifyReply): void {
    const { caller, clientKey } = request
    // Who has left will not be heard to close.
    if (caller === undefined || raw.destroyed) return
    const held = this.#held.get(clientKey) ?? 0
    if (held >= MAX_STREAMS_PER_SUBJECT) {
      throw new McpError(
        'RATE_LIMITED',
        `at most ${MAX_STREAMS_PER_SUBJECT} streams at once; end one, or retry later`,
        {
          retryAfterS: RETRY_AFTER_S,
        },
      )
    }
    this.#held.set(clientKey, held + 1)
    raw.once('close', () => this.#release(clientKey))
  }

  #release(clientKey: string): void {
    const left = this.#held.get(clientKey)! - 1
    if (left > 0) this.#held.set(clientKey, left)
    else this.#held.delete(clientKey)
  }
}

export const SSE_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

interface StreamRegistryParts {
  /** Where what their readers have not taken is counted. */
  readonly unsent: UnsentBytes
  /** Never steps back; by the other one tokens end. */
  readonly clock?: Clock | undefined
  readonly unixClock?: Clock
}

/** The open streams of one server, and the one timer that looks after all of them. */
export class StreamRegistry {
  readonly quota = new StreamQuota()
  readonly #open = new Set<SseResponse>()
  readonly #clock: Clock
  readonly #unixClock: Clock
  readonly #unsent: UnsentBytes
  #timer: NodeJS.Timeout | undefined

  constructor({ unsent, clock = () => performance.now(), unixClock = Date.now }: StreamRegistryParts) {
    this.#unsent = unsent
    this.#clock = clock
    this.#unixClock = unixClock
  }

  /** Those that are open, and those that closed since the last tick. */
  get size(): number {
    return this.#open.size
  }

  /**
   * Whether one more may open; those that have closed are forgotten first, so that a storm of
   * returns fits.
   */
  hasRoom(max: number): boolean {
    if (this.#open.size >= max) for (const stream of this.#open) if (stream.isClosed) this.#open.delete(stream)
    return this.#open.size < max
  }

  open(reply: FastifyReply): SseResponse {
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...SSE_HEADERS })
    const { caller, clientKey, raw } = reply.request
    const { socket } = raw
    const stream = new SseResponse(response, this.#clock, caller, () => this.#unsent.getOrCreate(clientKey, socket))
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.tick(), STREAM_TICK_MS).unref()
    return stream
  }

  /** One that is held for longer than its request is served; its head leaves at once. */
  openDetached(reply: FastifyReply): SseResponse {
    this.quota.acquire(reply)
    const stream = detach(this.open(reply), reply)
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

/**
 * From now on it is held for longer than its request is served, but no longer than its caller's
 * token lasts.
 */
export function detach(stream: SseResponse, { request }: FastifyReply): SseResponse {
  stream.endWithToken()
  dropRequestData(request)
  return stream
}

// Thousands of streams may be held for days, and none needs what its request said.
function dropRequestData(request: FastifyRequest): void {
  request.body = undefined
  request.raw.headers = {}
  request.raw.rawHeaders = []
}
