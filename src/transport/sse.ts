// The event streams of one server: opens them, checks them with one timer, and ends them together.
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import { type Clock, SseResponse, STREAM_TICK_MS } from './event-stream.ts'
import { isGone } from './http-versions.ts'
import { CLIENT_KEY } from './request-facts.ts'

// Anonymous callers have no quota: one address may stand for many users. MAX_STREAMS_PER_PROCESS
// bounds them.

/** Detached streams per subject; a stream that answers a call does not count. */
export const MAX_STREAMS_PER_SUBJECT = 16

/** About the time in which a dead stream is noticed, s. */
const RETRY_AFTER_S = 10

export class StreamQuota {
  readonly #held = new Map<string, number>()

  /** Number of subjects that hold a stream. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Counts a stream until its connection closes.
   *
   * @throws McpError RATE_LIMITED (429) before anything is sent
   */
  acquire({ request, raw }: FastifyReply): void {
    const { caller, [CLIENT_KEY]: clientKey } = request
    // A destroyed socket emits no further `close`.
    if (caller === undefined || isGone(raw)) return
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
  /** Counts the bytes that readers have not accepted yet. */
  readonly unsent: UnsentBytes
  /** Monotonic, ms; `unixClock` is compared with the expiry of tokens. */
  readonly clock?: Clock | undefined
  readonly unixClock?: Clock
  /** Whether the caller's credential has ended before its time. */
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
  // In HTTP/2 they cannot be set.
  if (request.raw.httpVersionMajor === 2) return
  request.raw.headers = {}
  request.raw.rawHeaders = []
}
