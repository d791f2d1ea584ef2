// The one stream of an HTTP+SSE client. It outlives a connection, since EventSource reconnects:
// events are numbered, and the newest are stored until the client is dropped. It is not a stream of
// the event store, for two reasons. Most clients come back without a position, so missed events are
// found by when an event was sent and whether it may be sent twice. And the stream begins before
// there is a session.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { Caller } from 'toolrack'
import type { NotificationSink, SseConnection, StreamEvent } from 'toolrack/protocol'
import type { StoredEvent } from 'toolrack/stores'

/** Stored events of one stream, and their total characters. A single unsent event may be longer. */
export const MAX_KEPT_EVENTS = 100
export const MAX_KEPT_SIZE = 1024 * 1024
/** Stored characters of all streams in a process; above that, a stream stores nothing. */
export const MAX_KEPT_TOTAL = 64 * 1024 * 1024
/** Repeats events sent within this time, ms: the server may notice a dead connection late. */
export const RESENT_MS = 30_000
const RESENT_BEFORE_CLOSE_MS = 1000

/** Stored characters of all streams in a process. */
export interface KeptTotal {
  size: number
}

interface HttpSseStreamParts {
  /** Prefix of the event ids. */
  readonly id?: string
  readonly total?: KeptTotal
  /** A monotonic clock, ms. */
  readonly now?: () => number
}

interface KeptEvent extends StoredEvent {
  /** A response or a notification: safe to send twice. */
  readonly mayRepeat: boolean
  /** Undefined if no client was connected. */
  readonly sentAtMs: number | undefined
}

export class HttpSseStream {
  readonly #id: string
  readonly #now: () => number
  #connection: SseConnection | undefined
  #seq = 0
  #kept: KeptEvent[] = []
  #size = 0
  readonly #total: KeptTotal
  #leftAtMs = Number.NEGATIVE_INFINITY
  /** Requests that wait until the reader has caught up. */
  readonly #drainListeners = new Set<() => void>()
  #onDrain: (() => void) | undefined

  /** @param connection undefined if the client connects later */
  constructor(
    connection?: SseConnection,
    { id = '', total = { size: 0 }, now = () => performance.now() }: HttpSseStreamParts = {},
  ) {
    this.#id = id
    this.#total = total
    this.#now = now
    if (connection !== undefined) this.attach(connection)
  }

  get caller(): Caller | undefined {
    return this.#connection?.caller
  }

  get isConnected(): boolean {
    return this.#connection !== undefined && !this.#connection.isClosed
  }

  get position(): string {
    return this.#toEventId(this.#seq)
  }

  isReadOver(connection: SseConnection): boolean {
    return this.#connection === connection
  }

  /**
   * Continues over this connection; ends an earlier one.
   *
   * @param afterSeq the last event that the client has; undefined if the client does not send it
   * @param begin called before the missed events are sent
   */
  attach(connection: SseConnection, afterSeq?: number, begin: () => void = () => {}): void {
    const missed = this.#missed(afterSeq)
    const previous = this.#connection
    this.#connection = connection
    previous?.end()
    connection.onDrain(() => this.#notifyDrained())
    begin()
    const sentAtMs = connection.isClosed ? undefined : this.#now()
    this.#kept = this.#kept.map(event => ({ ...event, sentAtMs: event.sentAtMs ?? sentAtMs }))
    // Requests may still wait for the reader of an earlier connection.
    if (connection.sendAll(missed.map(event => this.#toStreamEvent(event)))) this.#notifyDrained()
  }

  send(json: string): boolean {
    return this.#send(json, false)
  }

  /** Sends the response to a request. */
  answer(json: string): boolean {
    return this.#send(json, true)
  }

  /** Sends messages that belong together, whatever their total length. */
  sendAll(jsons: readonly string[]): boolean {
    const events = jsons.map(json => this.#keep(json, true))
    return this.isConnected ? this.#connection!.sendAll(events) : true
  }

  markDisconnected(): void {
    this.#leftAtMs = this.#now()
  }

  /** Drops all stored events. */
  forget(): void {
    while (this.#kept.length > 0) this.#dropOldest()
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** The sink of one request. The stream holds it only while the reader lags. */
  createSink(): NotificationSink {
    let wake = () => {}
    return {
      send: json => {
        const isRead = this.send(json)
        if (!isRead) this.#drainListeners.add(wake)
        return isRead
      },
      onDrain(listener) {
        wake = listener
      },
      detach() {
        throw new Error('no method of a session holds the stream of its request')
      },
    }
  }

  end(): void {
    this.#connection?.end()
  }

  /** Does nothing: responses may still follow. */
  endNotifications(): void {}

  #send(json: string, mayRepeat: boolean): boolean {
    const { id } = this.#keep(json, mayRepeat)
    // A disconnected stream stores the event, and the sender need not wait.
    return this.isConnected ? this.#connection!.send(json, id) : true
  }

  #keep(json: string, mayRepeat: boolean): StreamEvent {
    this.#seq++
    this.#append(json, mayRepeat)
    return { id: this.position, json }
  }

  #append(json: string, mayRepeat: boolean): void {
    this.#kept.push({ seq: this.#seq, json, mayRepeat, sentAtMs: this.isConnected ? this.#now() : undefined })
    this.#size += json.length
    this.#total.size += json.length
    while (this.#kept.length > MAX_KEPT_EVENTS || (this.#size > MAX_KEPT_SIZE && !this.#hasOnlyUnsent))
      this.#dropOldest()
    while (this.#total.size > MAX_KEPT_TOTAL && this.#kept.length > 0) this.#dropOldest()
  }

  /** A single event that was never sent is stored, however long it is. */
  get #hasOnlyUnsent(): boolean {
    return this.#kept.length === 1 && this.#kept[0]!.sentAtMs === undefined
  }

  #dropOldest(): void {
    const { length } = this.#kept.shift()!.json
    this.#size -= length
    this.#total.size -= length
  }

  // Without a position from the client, questions are not repeated.
  #missed(afterSeq: number | undefined): KeptEvent[] {
    if (afterSeq !== undefined) return this.#kept.filter(({ seq }) => seq > afterSeq)
    const sinceMs = this.isConnected ? this.#now() - RESENT_MS : this.#leftAtMs - RESENT_BEFORE_CLOSE_MS
    return this.#kept.filter(({ mayRepeat, sentAtMs }) => sentAtMs === undefined || (mayRepeat && sentAtMs >= sinceMs))
  }

  #notifyDrained(): void {
    this.#onDrain?.()
    const waiting = [...this.#drainListeners]
    this.#drainListeners.clear()
    for (const wake of waiting) wake()
  }

  readonly #toStreamEvent = ({ seq, json }: StoredEvent): StreamEvent => ({ id: this.#toEventId(seq), json })

  #toEventId(seq: number): string {
    return `${this.#id}.${seq}`
  }
}
