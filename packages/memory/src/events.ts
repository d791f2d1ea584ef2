// The event store of one process: a map of streams, the least recently used first.
import {
  type EventBounds,
  type EventStore,
  MAX_EVENTS_PER_STREAM,
  MAX_EVENTS_SIZE,
  MAX_STREAM_SIZE,
  type Replay,
  STREAM_TTL_MS,
  type StoredEvent,
  type StreamKey,
} from 'toolrack/stores'

const MAX_STREAMS = 10_000
const SWEEP_MS = 30_000

interface StoredStream {
  readonly session: string
  readonly events: StoredEvent[]
  /** Characters. */
  size: number
  lastSeq: number
  isFinished: boolean
  readonly isReply: boolean
  usedAtMs: number
}

const EMPTY = Object.freeze({ size: 0, lastSeq: 0, isFinished: false, usedAtMs: 0 })

export interface MemoryEventBounds extends EventBounds {
  readonly maxStreams?: number
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

export class MemoryEvents implements EventStore {
  readonly #maxSize: number
  readonly #maxStreams: number
  readonly #now: () => number
  readonly #streams = new Map<string, StoredStream>()
  #size = 0
  #sweeper: NodeJS.Timeout | undefined

  constructor({ maxSize = MAX_EVENTS_SIZE, maxStreams = MAX_STREAMS, now }: MemoryEventBounds = {}) {
    this.#maxSize = maxSize
    this.#maxStreams = maxStreams
    this.#now = now ?? (() => performance.now())
  }

  begin(key: StreamKey): void {
    this.#touch(key)
  }

  append(key: StreamKey, event: StoredEvent): void {
    const kept = this.#touch(key)
    kept.events.push(event)
    kept.lastSeq = event.seq
    kept.size += event.json.length
    this.#size += event.json.length
    const maxSize = Math.min(MAX_STREAM_SIZE, this.#maxSize)
    while (kept.events.length > MAX_EVENTS_PER_STREAM || (kept.size > maxSize && kept.events.length > 1))
      this.#dropOldestEvent(kept)
    this.#makeRoom()
  }

  finish(key: StreamKey): void {
    this.#touch(key).isFinished = true
  }

  read({ session, stream }: StreamKey, afterSeq: number): Replay | undefined {
    const kept = this.#streams.get(stream)
    if (kept?.session !== session || kept.usedAtMs <= this.#now() - STREAM_TTL_MS) return undefined
    const { lastSeq, isFinished, isReply } = kept
    return { events: kept.events.filter(({ seq }) => seq > afterSeq), lastSeq, isFinished, isReply }
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.#streams.clear()
  }

  #touch({ session, stream, isReply = false }: StreamKey): StoredStream {
    const kept = this.#streams.get(stream) ?? { ...EMPTY, session, isReply, events: [] }
    kept.usedAtMs = this.#now()
    this.#streams.delete(stream)
    this.#streams.set(stream, kept)
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
    return kept
  }

  #dropStream(stream: string, { size }: StoredStream): void {
    this.#streams.delete(stream)
    this.#size -= size
  }

  #dropOldestEvent(kept: StoredStream): void {
    const { json } = kept.events.shift()!
    kept.size -= json.length
    this.#size -= json.length
  }

  #sweep(): void {
    const oldestMs = this.#now() - STREAM_TTL_MS
    for (const [stream, kept] of this.#streams) {
      if (kept.usedAtMs > oldestMs) break
      this.#dropStream(stream, kept)
    }
    if (this.#streams.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }

  // Drops the events of other streams first; the newest event of the newest stream always stays.
  #makeRoom(): void {
    for (const [stream, kept] of this.#streams) {
      const isTooMuch = this.#size > this.#maxSize || this.#streams.size > this.#maxStreams
      if (!isTooMuch || this.#streams.size === 1) break
      this.#dropStream(stream, kept)
    }
  }
}
