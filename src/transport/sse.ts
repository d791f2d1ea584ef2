// Server-sent events: one `data:` line a message, bounded, kept alive, cut where the reader stalls.
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Sink } from '../exchange.ts'

/** Unsent bytes past which a stream is cut. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** How long a reader may take nothing while something waits for it. */
export const MAX_STALL_MS = 10_000
/** Silence after which a comment shows that the stream lives. */
export const KEEP_ALIVE_MS = 15_000

const TICK_MS = 1000
const BUFFER_BYTES = 16 * 1024

export const SSE_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
})

export class EventStream extends Readable implements Sink {
  #lastSentMs: number
  #laggingSinceMs: number | undefined
  #onDrain: (() => void) | undefined
  readonly #clock: () => number

  constructor(clock: () => number) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#clock = clock
    this.#lastSentMs = clock()
  }

  send(json: string): boolean {
    return this.#write(`data: ${json}\n\n`)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** The last message, then the end. */
  finish(json: string): void {
    this.send(json)
    if (!this.destroyed) this.push(null)
  }

  /** Keeps a quiet stream open; false where the reader has stalled for too long. */
  tick(nowMs: number): boolean {
    if (this.#laggingSinceMs !== undefined) return nowMs - this.#laggingSinceMs < MAX_STALL_MS
    if (nowMs - this.#lastSentMs >= KEEP_ALIVE_MS) this.#write(': keep-alive\n\n')
    return true
  }

  override _read(): void {
    if (this.#laggingSinceMs === undefined) return
    this.#laggingSinceMs = undefined
    this.#onDrain?.()
  }

  #write(frame: string): boolean {
    if (this.destroyed || this.readableEnded) return false
    this.#lastSentMs = this.#clock()
    if (this.push(frame)) return true
    this.#laggingSinceMs ??= this.#lastSentMs
    if (this.readableLength > MAX_UNSENT_BYTES) this.destroy()
    return false
  }
}

/** The open streams of one server, and the one timer that looks after all of them. */
export class Streams {
  readonly #open = new Set<EventStream>()
  readonly #clock: () => number
  #timer: NodeJS.Timeout | undefined

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  get size(): number {
    return this.#open.size
  }

  open(reply: FastifyReply): EventStream {
    const stream = new EventStream(this.#clock)
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.tick(), TICK_MS).unref()
    const response = reply.raw
    response.on('close', () => this.#forget(stream))
    stream.on('close', () => response.destroyed || response.writableEnded || response.destroy())
    reply.headers(SSE_HEADERS).send(stream)
    return stream
  }

  tick(): void {
    const nowMs = this.#clock()
    for (const stream of this.#open) if (!stream.tick(nowMs)) stream.destroy()
  }

  #forget(stream: EventStream): void {
    stream.destroy()
    this.#open.delete(stream)
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
    if (this.stream === undefined) {
      if (this.#reply.sent) return false
      this.stream = this.#streams.open(this.#reply)
      if (this.#onDrain !== undefined) this.stream.onDrain(this.#onDrain)
    }
    return this.stream.send(json)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.stream?.onDrain(listener)
  }
}
