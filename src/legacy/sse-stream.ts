// The one stream of a client of HTTP+SSE: everything goes over it. It is longer than a connection, since EventSource
// comes back when its connection drops: events are numbered and the last are kept, for as long as it may be away.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { Caller, NotificationSink, SseConnection, StreamEvent } from '../request/exchange.ts'
import type { StoredEvent } from '../state/events.ts'

export { parseEventId } from './resumable-stream.ts'

/** Events kept of one stream, and their characters together; past either the oldest go. The newest stays if nobody read it. */
export const MAX_KEPT_EVENTS = 100
export const MAX_KEPT_SIZE = 1024 * 1024
/** Characters that all streams of a process keep together; past it a stream keeps none of its own. */
export const MAX_KEPT_TOTAL = 64 * 1024 * 1024
/**
 * A connection may be gone before that is noticed: what was sent so shortly before its client came back, ms, or before it
 * was seen to close, is told again.
 */
export const RESENT_MS = 30_000
const RESENT_BEFORE_CLOSE_MS = 1000

/** What the streams of a process keep together, in characters. */
export interface KeptTotal {
  size: number
}

interface HttpSseStreamParts {
  /** How the ids of its events begin. */
  readonly id?: string
  readonly total?: KeptTotal
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface KeptEvent extends StoredEvent {
  /** The end of a request, or news: to be told twice does no harm. */
  readonly mayRepeat: boolean
  /** When it was sent; undefined: nobody was there. */
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
  /** Requests that were told that the reader lags. */
  readonly #drainListeners = new Set<() => void>()
  #onDrain: (() => void) | undefined

  /** @param connection undefined: its client comes later */
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

  /** The id of its newest event. */
  get position(): string {
    return this.#toEventId(this.#seq)
  }

  isReadOver(connection: SseConnection): boolean {
    return this.#connection === connection
  }

  /**
   * Goes on over this connection; one that it had before ends.
   *
   * @param afterSeq the last that its client has; undefined where it does not say
   * @param begin called before what was missed is told
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
    // Who waited for the reader of an earlier connection would else wait forever.
    if (connection.sendAll(missed.map(event => this.#toStreamEvent(event)))) this.#notifyDrained()
  }

  send(json: string): boolean {
    return this.#send(json, false)
  }

  /** The end of a request. */
  answer(json: string): boolean {
    return this.#send(json, true)
  }

  /** Several that belong together, however long they are. */
  sendAll(jsons: readonly string[]): boolean {
    const events = jsons.map(json => this.#keep(json, true))
    return this.isConnected ? this.#connection!.sendAll(events) : true
  }

  /** Its connection was seen to close. */
  markDisconnected(): void {
    this.#leftAtMs = this.#now()
  }

  /** Keeps nothing of what it has sent. */
  forget(): void {
    while (this.#kept.length > 0) this.#dropOldest()
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** A request's share of the stream. Held by it only while the reader lags, since there are many in its life. */
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

  /** No news will come any more, but answers may. */
  endNotifications(): void {}

  #send(json: string, mayRepeat: boolean): boolean {
    const { id } = this.#keep(json, mayRepeat)
    // Where nobody reads it is kept, and nobody has to wait for them.
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

  /** One event, that nobody was there to read: it is kept, however long. */
  get #hasOnlyUnsent(): boolean {
    return this.#kept.length === 1 && this.#kept[0]!.sentAtMs === undefined
  }

  #dropOldest(): void {
    const { length } = this.#kept.shift()!.json
    this.#size -= length
    this.#total.size -= length
  }

  // Of what was sent to a client that does not say what it has, questions are not asked again.
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
