// The one stream of a client of HTTP+SSE: everything goes over it. It is longer than a connection, since EventSource
// comes back when its connection drops: events are numbered and the last are kept, for as long as it may be away.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { Caller, Sink, StreamEvent, Wire } from '../exchange.ts'
import type { StoredEvent } from '../state/events.ts'

export { positionOf } from './session-stream.ts'

/** Events kept of one stream, and their characters together; past either the oldest go. The newest stays if nobody read it. */
export const MAX_KEPT_EVENTS = 100
export const MAX_KEPT_SIZE = 1024 * 1024
/** Characters that all streams of a process keep together; past it a stream keeps none of its own. */
export const MAX_KEPT_BY_ALL = 64 * 1024 * 1024
/**
 * A connection may be gone before that is noticed: what was sent so shortly before its client came back, ms, or before it
 * was seen to close, is told again.
 */
export const MAY_BE_LOST_MS = 30_000
const MAY_BE_LOST_AT_END_MS = 1000

/** What the streams of a process keep together, in characters. */
export interface Keeping {
  size: number
}

/** What another replica needs to go on with a stream. */
export interface Moved {
  readonly seq: number
  readonly kept: readonly StoredEvent[]
}

interface PlainStreamParts {
  /** How the ids of its events begin. */
  readonly id?: string
  readonly keeping?: Keeping
  /** Where another replica has left it. */
  readonly moved?: Moved
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface Kept extends StoredEvent {
  /** The end of a request, or news: to be told twice does no harm. */
  readonly mayRepeat: boolean
  /** When it was sent; undefined: nobody was there. */
  readonly sentAtMs: number | undefined
}

/** Where what is said goes, once the client reads elsewhere. */
type Elsewhere = (json: string, mayRepeat: boolean) => void

export class PlainStream {
  readonly #id: string
  readonly #now: () => number
  #wire: Wire | undefined
  #seq = 0
  #kept: Kept[] = []
  #size = 0
  readonly #keeping: Keeping
  #elsewhere: Elsewhere | undefined
  #leftAtMs = Number.NEGATIVE_INFINITY
  /** Requests that were told that the reader lags. */
  readonly #waiting = new Set<() => void>()
  #onDrain: (() => void) | undefined

  /** @param wire undefined: its client comes later */
  constructor(
    wire?: Wire,
    { id = '', keeping = { size: 0 }, moved, now = () => performance.now() }: PlainStreamParts = {},
  ) {
    this.#id = id
    this.#keeping = keeping
    this.#now = now
    for (const { seq, json } of moved?.kept ?? []) {
      this.#seq = seq
      this.#append(json, false)
    }
    this.#seq = moved?.seq ?? 0
    if (wire !== undefined) this.attach(wire)
  }

  get caller(): Caller | undefined {
    return this.#wire?.caller
  }

  get isConnected(): boolean {
    return this.#wire !== undefined && !this.#wire.isClosed
  }

  /** The id of its newest event. */
  get position(): string {
    return this.#idOf(this.#seq)
  }

  isOver(wire: Wire): boolean {
    return this.#wire === wire
  }

  /**
   * Goes on over this connection; one that it had before ends.
   *
   * @param afterSeq the last that its client has; undefined where it does not say
   * @param begin called before what was missed is told
   */
  attach(wire: Wire, afterSeq?: number, begin: () => void = () => {}): void {
    const missed = this.#missed(afterSeq)
    const before = this.#wire
    this.#wire = wire
    before?.end()
    wire.onDrain(() => this.#wake())
    begin()
    const sentAtMs = wire.isClosed ? undefined : this.#now()
    this.#kept = this.#kept.map(event => ({ ...event, sentAtMs: event.sentAtMs ?? sentAtMs }))
    // Who waited for the reader of an earlier connection would else wait forever.
    if (wire.sendAll(missed.map(event => this.#eventOf(event)))) this.#wake()
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
    return this.isConnected ? this.#wire!.sendAll(events) : true
  }

  /** Its connection was seen to close. */
  leave(): void {
    this.#leftAtMs = this.#now()
  }

  /** Its client reads elsewhere from now on. @returns what it was not told, and where to go on */
  moveTo(elsewhere: Elsewhere, afterSeq: number | undefined): Moved {
    const kept = this.#missed(afterSeq).map(({ seq, json }) => ({ seq, json }))
    this.#elsewhere = elsewhere
    this.forget()
    this.#wire?.end()
    this.#wake()
    return { seq: this.#seq, kept }
  }

  /** Keeps nothing of what it has sent. */
  forget(): void {
    while (this.#kept.length > 0) this.#dropOldest()
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** A request's share of the stream. Held by it only while the reader lags, since there are many in its life. */
  share(): Sink {
    let wake = () => {}
    return {
      send: json => {
        const isRead = this.send(json)
        if (!isRead) this.#waiting.add(wake)
        return isRead
      },
      onDrain(listener) {
        wake = listener
      },
      hold() {
        throw new Error('no method of a session holds the stream of its request')
      },
    }
  }

  end(): void {
    this.#wire?.end()
  }

  /** No news will come any more, but answers may. */
  endNews(): void {}

  #send(json: string, mayRepeat: boolean): boolean {
    if (this.#elsewhere !== undefined) {
      this.#elsewhere(json, mayRepeat)
      return true
    }
    const { id } = this.#keep(json, mayRepeat)
    // Where nobody reads it is kept, and nobody has to wait for them.
    return this.isConnected ? this.#wire!.send(json, id) : true
  }

  #keep(json: string, mayRepeat: boolean): StreamEvent {
    this.#seq++
    this.#append(json, mayRepeat)
    return { id: this.position, json }
  }

  #append(json: string, mayRepeat: boolean): void {
    this.#kept.push({ seq: this.#seq, json, mayRepeat, sentAtMs: this.isConnected ? this.#now() : undefined })
    this.#size += json.length
    this.#keeping.size += json.length
    while (this.#kept.length > MAX_KEPT_EVENTS || (this.#size > MAX_KEPT_SIZE && !this.#hasOnlyUnsent))
      this.#dropOldest()
    while (this.#keeping.size > MAX_KEPT_BY_ALL && this.#kept.length > 0) this.#dropOldest()
  }

  /** One event, that nobody was there to read: it is kept, however long. */
  get #hasOnlyUnsent(): boolean {
    return this.#kept.length === 1 && this.#kept[0]!.sentAtMs === undefined
  }

  #dropOldest(): void {
    const { length } = this.#kept.shift()!.json
    this.#size -= length
    this.#keeping.size -= length
  }

  // Of what was sent to a client that does not say what it has, questions are not asked again.
  #missed(afterSeq: number | undefined): Kept[] {
    if (afterSeq !== undefined) return this.#kept.filter(({ seq }) => seq > afterSeq)
    const sinceMs = this.isConnected ? this.#now() - MAY_BE_LOST_MS : this.#leftAtMs - MAY_BE_LOST_AT_END_MS
    return this.#kept.filter(({ mayRepeat, sentAtMs }) => sentAtMs === undefined || (mayRepeat && sentAtMs >= sinceMs))
  }

  #wake(): void {
    this.#onDrain?.()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  readonly #eventOf = ({ seq, json }: StoredEvent): StreamEvent => ({ id: this.#idOf(seq), json })

  #idOf(seq: number): string {
    return `${this.#id}.${seq}`
  }
}
