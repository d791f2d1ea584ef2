// One stream of a session: its events are numbered and kept, so that a client whose connection ends can come back to it.
// A stream is longer than a connection; it has at most one at a time.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import { randomBytes } from 'node:crypto'
import type { RequestId } from '../protocol/messages.ts'
import type { Caller, DetachedStream, NotificationSink, SseConnection, StreamEvent } from '../request/exchange.ts'
import type { EventStore, Replay, StreamKey } from '../state/events.ts'
import type { Session } from '../state/sessions.ts'

/** When a client should come back, ms. One that tries twice, as those of the SDKs, so outlasts a restart of ten seconds. */
export const RETRY_MS = 5000
/** The same for one that was told to come back, to a server that is there. */
const RETRY_AT_ONCE_MS = 1000

const ID_BYTES = 9

/** Where a client left a stream. */
export interface Position {
  readonly stream: string
  readonly seq: number
}

/** Reads a `Last-Event-ID`; undefined where it is none of ours. */
export function parseEventId(eventId: string): Position | undefined {
  const [, stream, seq] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(eventId) ?? []
  return stream === undefined ? undefined : { stream, seq: Number(seq) }
}

export interface StreamParts {
  readonly session: Session
  readonly events: EventStore
  /** It ends with the answer to a request; else it is of news. */
  readonly isReply?: boolean
  /** Those that it is to answer. */
  readonly requests?: readonly RequestId[]
  /** A stream that was left, and where it goes on. */
  readonly from?: Position | undefined
  /** Opens the connection when the first event is sent; undefined where the client has left. */
  open?(): SseConnection | undefined
  /** Called when the stream has begun. */
  onBegin?(stream: ResumableStream): void
}

export class ResumableStream implements NotificationSink {
  readonly #parts: StreamParts
  #id: string | undefined
  #seq: number
  #wire: SseConnection | undefined
  #hasBegun = false
  #isFinished = false
  /** Who is told that a reader has caught up: the requests of a batch share their stream. */
  readonly #waiting = new Set<() => void>()

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#id = parts.from?.stream
    this.#seq = parts.from?.seq ?? 0
  }

  get id(): string {
    return (this.#id ??= randomBytes(ID_BYTES).toString('base64url'))
  }

  /** Of its newest event. */
  get seq(): number {
    return this.#seq
  }

  /** A request that is answered quietly never begins its stream. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Who reads, while somebody does. */
  get caller(): Caller | undefined {
    return this.#wire?.caller
  }

  get isConnected(): boolean {
    return this.#wire !== undefined && !this.#wire.isClosed
  }

  get isDisconnected(): boolean {
    return this.#hasBegun && !this.isConnected
  }

  /** Opens the connection, where that is still to be done. */
  begin(): void {
    if (this.#hasBegun || this.#isFinished) return
    this.#hasBegun = true
    if (this.#parts.isReply) this.#parts.events.begin(this.#key, this.#parts.requests)
    const wire = this.#parts.open?.()
    this.#parts.onBegin?.(this)
    if (wire !== undefined) this.attach(wire)
  }

  /** Goes on over this connection, after what was missed; one that it had before ends. */
  attach(wire: SseConnection, missed?: Replay): void {
    this.#hasBegun = true
    this.#wire?.end()
    this.#wire = wire
    wire.onDrain(() => this.#wake())
    const events = missed?.events ?? []
    // Before what was missed, so that it is not skipped when this connection ends at once.
    if (this.#parts.session.revision.primesStreams)
      wire.prime(this.#toEventId((events[0]?.seq ?? this.#seq + 1) - 1), RETRY_MS)
    // Who waited for the reader of an earlier connection would else wait forever.
    if (wire.sendAll(events.map(({ seq, json }) => ({ id: this.#toEventId(seq), json })))) this.#wake()
  }

  send(json: string): boolean {
    if (this.#isFinished) return false
    this.begin()
    const { id } = this.#append(json)
    // Where nobody reads it is kept, and nobody has to wait for them.
    return this.isConnected ? this.#wire!.send(json, id) : true
  }

  /** Several that belong together, however long they are. */
  sendAll(jsons: readonly string[]): boolean {
    if (this.#isFinished) return false
    this.begin()
    const events = jsons.map(json => this.#append(json))
    return this.isConnected ? this.#wire!.sendAll(events) : true
  }

  /** Sends on what was said on another replica, where it is kept already. @returns false where nothing will follow */
  relay({ events, isFinished }: Replay): boolean {
    for (const { seq, json } of events) {
      this.#seq = seq
      this.#wire?.send(json, this.#toEventId(seq))
    }
    if (isFinished) this.end()
    return !isFinished && this.isConnected
  }

  onDrain(listener: () => void): void {
    this.#waiting.add(listener)
  }

  disconnect(): void {
    if (!this.#parts.session.revision.primesStreams) return
    this.begin()
    this.#wire?.prime(this.#toEventId(this.#seq), RETRY_AT_ONCE_MS)
    this.#wire?.end()
    this.#wire = undefined
  }

  /** The answer, where there is one, then nothing more. */
  finish(json: string | undefined): void {
    if (this.#isFinished) return
    if (json !== undefined) this.send(json)
    this.#parts.events.finish(this.#key)
    this.end()
  }

  /** Nothing more; the connection ends. */
  end(): void {
    this.#isFinished = true
    this.#wire?.end()
  }

  /** No news will come any more. */
  endNotifications(): void {
    this.end()
  }

  detach(): DetachedStream {
    throw new Error('no method of a session holds the stream of its request')
  }

  #append(json: string): StreamEvent {
    const seq = ++this.#seq
    this.#parts.events.append(this.#key, { seq, json })
    return { id: this.#toEventId(seq), json }
  }

  #wake(): void {
    for (const listener of this.#waiting) listener()
  }

  get #key(): StreamKey {
    return { session: this.#parts.session.id, stream: this.id, isReply: this.#parts.isReply ?? false }
  }

  #toEventId(seq: number): string {
    return `${this.id}.${seq}`
  }
}
