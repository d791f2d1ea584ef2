// Server-sent events: one `data:` line a message, bounded, kept alive, cut where the reader stalls.
// Writes to the response itself: Fastify's way, a piped stream, would cost each of many listeners 6 KiB more (docs/design.md).
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HeldStream, Sink, StreamEvent, Wire } from '../exchange.ts'
import { cutStalled, MAX_STALL_MS } from './stalled.ts'

/** Unsent bytes past which a stream that is sent more is cut. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** Silence after which a comment shows that the stream lives. */
export const KEEP_ALIVE_MS = 15_000

const TICK_MS = 1000

export const SSE_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

/** Milliseconds that never step back. */
export type Clock = () => number

export class EventStream implements HeldStream, Wire {
  readonly #response: ServerResponse
  readonly #clock: Clock
  #lastSentMs: number
  #laggingSinceMs: number | undefined
  #onDrain: (() => void) | undefined
  /** What was sent as a whole is not held against its reader, however long it is. */
  #grantedBytes = 0

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response
    this.#clock = clock
    this.#lastSentMs = clock()
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  send(json: string, id?: string): boolean {
    return this.#write(frameOf(json, id))
  }

  sendAll(events: readonly StreamEvent[]): boolean {
    if (events.length === 0) return true
    const frames = events.map(({ json, id }) => frameOf(json, id)).join('')
    const isRead = this.#write(frames)
    if (!isRead) this.#grantedBytes += Buffer.byteLength(frames)
    return isRead
  }

  prime(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  /** An event that is no message. */
  name(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  end(): void {
    if (this.isClosed) return
    this.#response.end()
    cutStalled(this.#response)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  finish(json: string): void {
    if (this.#response.destroyed) return
    this.#response.end(`data: ${json}\n\n`)
    cutStalled(this.#response)
  }

  /** Keeps a quiet stream open, and cuts one whose reader has stalled for too long. */
  tick(nowMs: number): void {
    if (this.#laggingSinceMs !== undefined) {
      if (nowMs - this.#laggingSinceMs >= MAX_STALL_MS) this.#response.destroy()
    } else if (nowMs - this.#lastSentMs >= KEEP_ALIVE_MS) {
      this.#write(': keep-alive\n\n')
    }
  }

  #write(frame: string): boolean {
    const response = this.#response
    if (this.isClosed) return false
    // Looked at before the next is written, so that one large message to a reader that keeps up is no reason to cut.
    if (response.writableLength > MAX_UNSENT_BYTES + this.#grantedBytes) {
      response.destroy()
      return false
    }
    this.#lastSentMs = this.#clock()
    if (response.write(frame)) return true
    if (this.#laggingSinceMs === undefined) this.#lag()
    return false
  }

  #lag(): void {
    this.#laggingSinceMs = this.#lastSentMs
    this.#response.once('drain', () => {
      this.#laggingSinceMs = undefined
      this.#grantedBytes = 0
      this.#onDrain?.()
    })
  }
}

const frameOf = (json: string, id: string | undefined) =>
  id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`

/** The open streams of one server, and the one timer that looks after all of them. */
export class Streams {
  readonly #open = new Set<EventStream>()
  readonly #clock: Clock
  #timer: NodeJS.Timeout | undefined

  constructor(clock: Clock = () => performance.now()) {
    this.#clock = clock
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
    const stream = new EventStream(response, this.#clock)
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref()
    return stream
  }

  /** One that is held for longer than its request is served; its head leaves at once. */
  hold(reply: FastifyReply): EventStream {
    forget(reply.request)
    const stream = this.open(reply)
    reply.raw.flushHeaders()
    return stream
  }

  /** Ends all that are still open: the server goes down. */
  end(): void {
    for (const stream of this.#open) stream.end()
  }

  tick(): void {
    const nowMs = this.#clock()
    for (const stream of this.#open) {
      if (stream.isClosed) this.#open.delete(stream)
      else stream.tick(nowMs)
    }
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Opens the stream with the first notification, so that what never notifies is answered as plain JSON. */
export class LazySink implements Sink {
  stream: EventStream | undefined
  readonly #streams: Streams
  readonly #reply: FastifyReply
  #onDrain: (() => void) | undefined

  constructor(streams: Streams, reply: FastifyReply) {
    this.#streams = streams
    this.#reply = reply
  }

  send(json: string): boolean {
    // What a tool still says when its call has been answered is dropped.
    if (this.stream === undefined && (this.#reply.sent || this.#reply.raw.destroyed)) return false
    return this.#open().send(json)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.stream?.onDrain(listener)
  }

  hold(): HeldStream {
    forget(this.#reply.request)
    return this.#open()
  }

  #open(): EventStream {
    if (this.stream === undefined) {
      this.stream = this.#streams.open(this.#reply)
      if (this.#onDrain !== undefined) this.stream.onDrain(this.#onDrain)
    }
    return this.stream
  }
}

// Thousands of streams may be held for days, and none needs what its request said.
function forget(request: FastifyRequest): void {
  request.body = undefined
  request.raw.headers = {}
  request.raw.rawHeaders = []
}
