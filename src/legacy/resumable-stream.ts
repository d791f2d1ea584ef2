// A session's stream with numbered, stored events, so that a client can resume it after a
// disconnect (routes/session-get.ts). It has at most one connection at a time.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import { randomBytes } from 'node:crypto'
import type { RequestId } from '../protocol/messages.ts'
import type { Caller, DetachedStream, NotificationSink, SseConnection, StreamEvent } from '../request/exchange.ts'
import type { EventStore, Replay, StreamKey } from '../state/events.ts'
import type { Session } from '../state/sessions.ts'

/** SSE `retry`, ms. A client that tries twice, like the SDKs, outlasts a restart of 10 s. */
export const RETRY_MS = 5000
/** SSE `retry` for a client that the server disconnects on purpose, ms. */
const RETRY_AT_ONCE_MS = 1000

const ID_BYTES = 9

/** A client's position in a stream. */
export interface Position {
  readonly stream: string
  readonly seq: number
}

/** Parses a `Last-Event-ID`; undefined if it is malformed. */
export function parseEventId(eventId: string): Position | undefined {
  const [, stream, seq] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(eventId) ?? []
  return stream === undefined ? undefined : { stream, seq: Number(seq) }
}

export interface StreamParts {
  readonly session: Session
  readonly events: EventStore
  /** It ends with the answer to a request; else it carries notifications. */
  readonly isReply?: boolean
  /** It opens without an event if its request is quiet for long. */
  readonly opensIfQuiet?: boolean
  /** The requests that it will answer. */
  readonly requests?: readonly RequestId[]
  /** The position after which an earlier stream resumes. */
  readonly from?: Position | undefined
  /** Opens the connection at the first event; undefined if the client has left. */
  open?(): SseConnection | undefined
  onBegin?(stream: ResumableStream): void
}

export class ResumableStream implements NotificationSink {
  readonly #parts: StreamParts
  #id: string | undefined
  #seq: number
  #connection: SseConnection | undefined
  #hasBegun = false
  #isFinished = false
  /** Called when the reader has caught up: the requests of a batch share a stream. */
  readonly #waiting = new Set<() => void>()

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#id = parts.from?.stream
    this.#seq = parts.from?.seq ?? 0
  }

  get id(): string {
    return (this.#id ??= randomBytes(ID_BYTES).toString('base64url'))
  }

  /** Sequence number of the newest event. */
  get seq(): number {
    return this.#seq
  }

  get isOpen(): boolean {
    return this.#hasBegun
  }

  /** The caller of the current connection. */
  get caller(): Caller | undefined {
    return this.#connection?.caller
  }

  get isConnected(): boolean {
    return this.#connection !== undefined && !this.#connection.isClosed
  }

  get isDisconnected(): boolean {
    return this.#hasBegun && !this.isConnected
  }

  begin(): void {
    if (this.#hasBegun || this.#isFinished) return
    this.#hasBegun = true
    if (this.#parts.isReply) this.#parts.events.begin(this.#key, this.#parts.requests)
    const connection = this.#parts.open?.()
    this.#parts.onBegin?.(this)
    if (connection !== undefined) this.attach(connection)
  }

  keepAlive(): void {
    if (this.#hasBegun || !this.#parts.opensIfQuiet) return
    this.begin()
    // Revisions that do not prime their streams would send no byte.
    this.#connection?.keepAlive()
  }

  /** Continues over this connection after the missed events; ends an earlier connection. */
  attach(connection: SseConnection, missed?: Replay): void {
    this.#hasBegun = true
    this.#connection?.end()
    this.#connection = connection
    connection.onDrain(() => this.#wake())
    const events = missed?.events ?? []
    // The id before the missed events, so that none is skipped if this connection ends at once.
    if (this.#parts.session.revision.primesStreams)
      connection.prime(this.#toEventId((events[0]?.seq ?? this.#seq + 1) - 1), RETRY_MS)
    // Requests may still wait for the reader of an earlier connection.
    if (connection.sendAll(events.map(({ seq, json }) => ({ id: this.#toEventId(seq), json })))) this.#wake()
  }

  send(json: string): boolean {
    if (this.#isFinished) return false
    this.begin()
    const { id } = this.#append(json)
    // A disconnected stream stores the event, and the sender need not wait.
    return this.isConnected ? this.#connection!.send(json, id) : true
  }

  /** Sends messages that belong together, whatever their total length. */
  sendAll(jsons: readonly string[]): boolean {
    if (this.#isFinished) return false
    this.begin()
    const events = jsons.map(json => this.#append(json))
    return this.isConnected ? this.#connection!.sendAll(events) : true
  }

  /** Sends events that another replica has stored. @returns false if none will follow */
  relay({ events, isFinished }: Replay): boolean {
    for (const { seq, json } of events) {
      this.#seq = seq
      this.#connection?.send(json, this.#toEventId(seq))
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
    this.#connection?.prime(this.#toEventId(this.#seq), RETRY_AT_ONCE_MS)
    this.#connection?.end()
    this.#connection = undefined
  }

  /** Sends the answer if there is one, and ends the stream. */
  finish(json: string | undefined): void {
    if (this.#isFinished) return
    if (json !== undefined) this.send(json)
    this.#parts.events.finish(this.#key)
    this.end()
  }

  end(): void {
    this.#isFinished = true
    this.#connection?.end()
  }

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
