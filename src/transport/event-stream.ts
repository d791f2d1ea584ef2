// One open event stream: one `data:` line a message, bounded, kept alive, cut where its reader
// stalls, ended with the token. Writes to the response itself: Fastify's way, a piped stream, would
// cost each of many listeners 6 KiB more (docs/decisions, 5). Spec 2026-07-28:
// basic/transports/streamable-http, "Receiving Messages".
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { TOLERANCE_S } from '../auth/claims.ts'
import type { Caller, DetachedStream, SseConnection, StreamEvent } from '../request/exchange.ts'
import type { Unsent } from '../request/unsent-bytes.ts'

// A reader that takes nothing of its answer for too long is cut: until then, what waits for it is
// held in memory.

/** How long a reader may take nothing while something waits for it. */
export const MAX_STALL_MS = 10_000

/**
 * Called when the answer is written. What the kernel took at once costs no timer; any progress
 * starts the time anew.
 */
export function setStallTimeout(response: ServerResponse): void {
  const { socket } = response
  if (response.writableLength > 0 && socket instanceof Socket) socket.setTimeout(MAX_STALL_MS)
}

/** Unsent bytes past which a stream that is sent more is cut. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** Silence after which a comment shows that the stream lives. */
export const KEEP_ALIVE_MS = 15_000

/** More than this is counted as soon as it is written, not when streams are looked at next. */
const LARGE_BYTES = 16 * 1024

/** How often streams are looked at, ms. */
export const STREAM_TICK_MS = 1000
/**
 * A held stream lasts about as long as its token is taken: never longer, and who comes back needs a
 * new one.
 */
const EXPIRY_GRACE_MS = TOLERANCE_S * 1000 - 2 * STREAM_TICK_MS

/** Milliseconds. */
export type Clock = () => number

export class SseResponse implements DetachedStream, SseConnection {
  readonly caller: Caller | undefined
  readonly #response: ServerResponse
  readonly #clock: Clock
  #lastSentMs: number
  #laggingSinceMs: number | undefined
  #onDrain: (() => void) | undefined
  #onExpiry: (() => void) | undefined
  /** Unix time after which it ends. */
  #untilMs = Number.POSITIVE_INFINITY
  /** What was sent as a whole is not held against its reader, however long it is. */
  #grantedBytes = 0
  #countedBytes = 0
  #unsent: Unsent | undefined
  readonly #getUnsent: (() => Unsent) | undefined

  /** @param findUnsent where what its reader has not taken is counted */
  constructor(response: ServerResponse, clock: Clock, caller: Caller | undefined, findUnsent?: () => Unsent) {
    this.caller = caller
    this.#response = response
    this.#clock = clock
    this.#getUnsent = findUnsent
    this.#lastSentMs = clock()
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
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

  /**
   * An event that is no message.
   *
   * @param id from which the stream can be resumed
   * @param retryMs when to come back
   */
  sendNamed(event: string, data: string, { id, retryMs }: { id: string; retryMs: number }): void {
    this.#write(`event: ${event}\nid: ${id}\nretry: ${retryMs}\ndata: ${data}\n\n`)
  }

  end(): void {
    if (this.isClosed) return
    this.#response.end()
    this.#onEnded()
  }

  /** At once, if it has closed already. */
  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener()
    else this.#response.once('close', listener)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** From now on it lasts no longer than its caller's token. */
  endWithToken(): void {
    const { expiresAtMs } = this.caller ?? {}
    if (expiresAtMs !== undefined) this.#untilMs = expiresAtMs + EXPIRY_GRACE_MS
  }

  onExpiry(listener: () => void): void {
    this.#onExpiry = listener
  }

  finish(json: string): void {
    if (this.#response.destroyed) return
    this.#response.end(`data: ${json}\n\n`)
    this.#onEnded()
  }

  /**
   * Keeps a quiet stream open, cuts one whose reader has stalled for too long, ends one whose token
   * has ended.
   */
  tick(nowMs: number, unixMs: number): void {
    if (unixMs >= this.#untilMs) {
      if (this.#onExpiry === undefined) this.end()
      else this.#onExpiry()
    } else if (this.#laggingSinceMs !== undefined) {
      if (nowMs - this.#laggingSinceMs >= MAX_STALL_MS) this.#response.destroy()
    } else if (nowMs - this.#lastSentMs >= KEEP_ALIVE_MS) {
      this.#write(': keep-alive\n\n')
    }
    this.#countUnsent()
  }

  #write(frame: string): boolean {
    const response = this.#response
    if (this.isClosed) return false
    // Looked at before the next is written, so that one large message to a reader that keeps up is
    // no reason to cut.
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
