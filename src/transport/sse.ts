// The event streams of one server: opens them, checks them with one timer, and ends them together.
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import { type Clock, SseResponse, STREAM_TICK_MS } from './event-stream.ts'
import { CLIENT_KEY } from './request-facts.ts'
import { StreamQuota } from './stream-quota.ts'

export const SSE_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

interface StreamRegistryParts {
  /** Counts the bytes that readers have not accepted yet. */
  readonly unsent: UnsentBytes
  /** Monotonic, ms; `unixClock` is compared with the expiry of tokens. */
  readonly clock?: Clock | undefined
  readonly unixClock?: Clock
  /** Whether the caller's credential was revoked before its end. */
  readonly hasEnded?: (caller: object) => boolean
}

export class StreamRegistry {
  readonly quota = new StreamQuota()
  readonly #open = new Set<SseResponse>()
  readonly #clock: Clock
  readonly #unixClock: Clock
  readonly #unsent: UnsentBytes
  readonly #hasEnded: (caller: object) => boolean
  #timer: NodeJS.Timeout | undefined

  constructor({
    unsent,
    clock = () => performance.now(),
    unixClock = Date.now,
    hasEnded = () => false,
  }: StreamRegistryParts) {
    this.#hasEnded = hasEnded
    this.#unsent = unsent
    this.#clock = clock
    this.#unixClock = unixClock
  }

  /** Open streams, and those that closed since the last tick. */
  get size(): number {
    return this.#open.size
  }

  /** Whether one more stream may open. Drops closed ones first, so that many reconnects fit. */
  hasRoom(max: number): boolean {
    if (this.#open.size >= max) for (const stream of this.#open) if (stream.isClosed) this.#open.delete(stream)
    return this.#open.size < max
  }

  open(reply: FastifyReply): SseResponse {
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...SSE_HEADERS })
    const { caller, [CLIENT_KEY]: clientKey, raw } = reply.request
    const { socket } = raw
    const stream = new SseResponse(response, this.#clock, caller, () => this.#unsent.getOrCreate(clientKey, socket))
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.tick(), STREAM_TICK_MS).unref()
    return stream
  }

  /** Opens a stream that outlives its request, and sends its headers at once. */
  openDetached(reply: FastifyReply): SseResponse {
    this.quota.acquire(reply)
    const stream = detach(this.open(reply), reply)
    reply.raw.flushHeaders()
    return stream
  }

  end(): void {
    for (const stream of this.#open) stream.end()
  }

  tick(): void {
    const nowMs = this.#clock()
    const unixMs = this.#unixClock()
    for (const stream of this.#open) {
      if (stream.isClosed) this.#open.delete(stream)
      else if (stream.caller !== undefined && this.#hasEnded(stream.caller)) stream.expire()
      else stream.tick(nowMs, unixMs)
    }
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Lets a stream outlive its request, but not its caller's token. */
export function detach(stream: SseResponse, { request }: FastifyReply): SseResponse {
  stream.endWithToken()
  dropRequestData(request)
  return stream
}

// Thousands of streams may stay open for days, and none needs its request's body or headers.
function dropRequestData(request: FastifyRequest): void {
  request.body = undefined
  // HTTP/2 does not allow to set them.
  if (request.raw.httpVersionMajor === 2) return
  request.raw.headers = {}
  request.raw.rawHeaders = []
}
