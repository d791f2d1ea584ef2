// One SSE response: bounded, kept alive, cut if its reader stalls, ended with the caller's token.
// It writes to the raw response: Fastify's piped stream costs 6 KiB more each (docs/decisions, 5).
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import type { ServerResponse } from 'node:http'
import { TOLERANCE_S } from '../auth/token.ts'
import type { Caller, DetachedStream, SseConnection, StreamEvent } from '../request/exchange.ts'
import type { Unsent } from '../request/unsent-bytes.ts'
import { isGone, setIdleTimeout } from './http-versions.ts'

/** How long a reader may accept nothing while data waits in memory for it, ms. */
export const MAX_STALL_MS = 10_000

/** Call after the answer is written. Needs no timer if the kernel took all of it. */
export function setStallTimeout(response: ServerResponse): void {
  if (response.writableLength > 0) setIdleTimeout(response, MAX_STALL_MS)
}

/** A stream with more unsent bytes is cut at its next message. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** Idle time before a keep-alive comment, ms. */
export const KEEP_ALIVE_MS = 15_000

/** Larger frames are counted when written, others at the next tick. */
const LARGE_BYTES = 16 * 1024

/** How often open streams are checked, ms. */
export const STREAM_TICK_MS = 1000
/** Ends a stream just before its token is refused, so that a reconnect needs a new token. */
export const EXPIRY_GRACE_MS = TOLERANCE_S * 1000 - 2 * STREAM_TICK_MS

export type Clock = () => number

export class SseResponse implements DetachedStream, SseConnection {
  readonly caller: Caller | undefined
  readonly #response: ServerResponse
  readonly #clock: Clock
  #lastSentMs: number
  #laggingSinceMs: number | undefined
  #onDrain: (() => void) | undefined
  #onExpiry: (() => void) | undefined
  /** Unix time at which the stream ends. */
  #untilMs = Number.POSITIVE_INFINITY
  /** Bytes of `sendAll`, which may exceed MAX_UNSENT_BYTES however long they are. */
  #grantedBytes = 0
  #countedBytes = 0
  #unsent: Unsent | undefined
  readonly #getUnsent: (() => Unsent) | undefined

  /** @param findUnsent the counter of bytes that the reader has not accepted yet */
  constructor(response: ServerResponse, clock: Clock, caller: Caller | undefined, findUnsent?: () => Unsent) {
    this.caller = caller
    this.#response = response
    this.#clock = clock
    this.#getUnsent = findUnsent
    this.#lastSentMs = clock()
  }

  get isClosed(): boolean {
    return isGone(this.#response) || this.#response.writableEnded
  }

  send(json: string, id?: string): boolean {
    return this.#write(toSseFrame(json, id))
  }

  sendAll(events: readonly StreamEvent[]): boolean {
    if (events.length === 0) return true
    const frames = events.map(({ json, id }) => toSseFrame(json, id)).join('')
    const isRead = this.#write(frames)
    if (!isRead) this.#grantedBytes += Buffer.byteLength(frames)
    return isRead
  }

  prime(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  keepAlive(): void {
    this.#write(': keep-alive\n\n')
  }

  /**
   * Sends an SSE event that is not a message.
   *
   * @param id from which the stream can be resumed
   * @param retryMs the reconnect delay for the client
   */
  sendNamed(event: string, data: string, { id, retryMs }: { id: string; retryMs: number }): void {
    this.#write(`event: ${event}\nid: ${id}\nretry: ${retryMs}\ndata: ${data}\n\n`)
  }

  /** @returns as `send` */
  sendEvent(event: string, data: string): boolean {
    return this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  end(): void {
    if (this.isClosed) return
    this.#response.end()
    this.#onEnded()
  }

  /** Calls the listener at once if the connection has already closed. */
  onClose(listener: () => void): void {
    if (isGone(this.#response)) listener()
    else this.#response.once('close', listener)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** Limits the stream to the lifetime of the caller's token. */
  endWithToken(): void {
    const { expiresAtMs } = this.caller ?? {}
    if (expiresAtMs !== undefined) this.#untilMs = expiresAtMs + EXPIRY_GRACE_MS
  }

  /** Ends the stream, since its caller's token has ended. */
  expire(): void {
    if (this.#onExpiry === undefined) this.end()
    else this.#onExpiry()
  }

  onExpiry(listener: () => void): void {
    this.#onExpiry = listener
  }

  /** @param event its name; a message has none */
  finish(json: string, event?: string): void {
    if (isGone(this.#response)) return
    this.#response.end(`${event === undefined ? '' : `event: ${event}\n`}data: ${json}\n\n`)
    this.#onEnded()
  }

  tick(nowMs: number, unixMs: number): void {
    if (unixMs >= this.#untilMs) this.expire()
    else if (this.#laggingSinceMs !== undefined) {
      if (nowMs - this.#laggingSinceMs >= MAX_STALL_MS) this.#response.destroy()
    } else if (nowMs - this.#lastSentMs >= KEEP_ALIVE_MS) {
      this.keepAlive()
    }
    this.#countUnsent()
  }

  #write(frame: string): boolean {
    const response = this.#response
    if (this.isClosed) return false
    // Checked before the write, so that one large message does not cut a reader that keeps up.
    if (response.writableLength > MAX_UNSENT_BYTES + this.#grantedBytes) {
      response.destroy()
      return false
    }
    this.#lastSentMs = this.#clock()
    const isTaken = response.write(frame)
    if (frame.length > LARGE_BYTES) this.#countUnsent()
    if (isTaken) return true
    if (this.#laggingSinceMs === undefined) this.#startLagging()
    return false
  }

  #onEnded(): void {
    setStallTimeout(this.#response)
    this.#countUnsent()
    if (this.#countedBytes === 0) return
    this.#unsent!.isAnswer = true
    this.#response.once('finish', () => this.#countUnsent())
  }

  #countUnsent(): void {
    const change = this.#response.writableLength - this.#countedBytes
    if (change === 0 || this.#getUnsent === undefined) return
    this.#countedBytes += change
    if (this.#unsent === undefined || this.#unsent.isReleased) this.#unsent = this.#getUnsent()
    this.#unsent.add(change)
  }

  #startLagging(): void {
    this.#laggingSinceMs = this.#lastSentMs
    this.#response.once('drain', () => {
      this.#laggingSinceMs = undefined
      this.#grantedBytes = 0
      this.#countUnsent()
      this.#onDrain?.()
    })
  }
}

const toSseFrame = (json: string, id: string | undefined) =>
  id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`
