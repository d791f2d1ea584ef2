// The event store of one process: a map of streams, the least recently used first.
import type { EventStore, StoredEvent, StreamKey } from '../events.ts'

/** Events kept of one stream; the oldest go first. */
export const MAX_EVENTS_PER_STREAM = 100
/** How long a client can resume a stream, ms: longer than any call may take. */
export const STREAM_TTL_MS = 15 * 60 * 1000

/** Size of a stream, characters: a resume replays it at once. The newest event always stays. */
export const MAX_STREAM_SIZE = 8 * 1024 * 1024

const MAX_STREAMS = 10_000
/** Size of all streams together, in characters. */
const MAX_SIZE = 64 * 1024 * 1024
const SWEEP_MS = 30_000

interface StoredStream {
  readonly session: string
  readonly events: StoredEvent[]
  size: number
  lastSeq: number
  isFinished: boolean
  readonly isReply: boolean
  usedAtMs: number
}

const EMPTY = Object.freeze({ size: 0, lastSeq: 0, isFinished: false, usedAtMs: 0 })

export interface MemoryEventBounds {
  readonly maxSize?: number
  readonly maxStreams?: number
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

export function createMemoryEvents({
  maxSize = MAX_SIZE,
  maxStreams = MAX_STREAMS,
  now = () => performance.now(),
}: MemoryEventBounds = {}): EventStore {
  const streams = new Map<string, StoredStream>()
  let size = 0
  let sweeper: NodeJS.Timeout | undefined

  function touch({ session, stream, isReply = false }: StreamKey): StoredStream {
    const kept = streams.get(stream) ?? { ...EMPTY, session, isReply, events: [] }
    kept.usedAtMs = now()
    streams.delete(stream)
    streams.set(stream, kept)
    sweeper ??= setInterval(sweep, SWEEP_MS).unref()
    return kept
  }

  function dropStream(stream: string, kept: StoredStream): void {
    streams.delete(stream)
    size -= kept.size
  }

  function dropOldestEvent(kept: StoredStream): void {
    const oldest = kept.events.shift()!
    kept.size -= oldest.json.length
    size -= oldest.json.length
  }

  function sweep(): void {
    const oldestMs = now() - STREAM_TTL_MS
    for (const [stream, kept] of streams) {
      if (kept.usedAtMs > oldestMs) break
      dropStream(stream, kept)
    }
    if (streams.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  // Drops the events of other streams first; the newest event of the newest stream always stays.
  function makeRoom(): void {
    for (const [stream, kept] of streams) {
      const isTooMuch = size > maxSize || streams.size > maxStreams
      if (!isTooMuch || streams.size === 1) break
      dropStream(stream, kept)
    }
  }

  return {
    begin(key) {
      touch(key)
    },
    append(key, event) {
      const kept = touch(key)
      kept.events.push(event)
      kept.lastSeq = event.seq
      kept.size += event.json.length
      size += event.json.length
      const mostSize = Math.min(MAX_STREAM_SIZE, maxSize)
      while (kept.events.length > MAX_EVENTS_PER_STREAM || (kept.size > mostSize && kept.events.length > 1))
        dropOldestEvent(kept)
      makeRoom()
    },
    finish(key) {
      touch(key).isFinished = true
    },
    read({ session, stream }, afterSeq) {
      const kept = streams.get(stream)
      if (kept?.session !== session || kept.usedAtMs <= now() - STREAM_TTL_MS) return undefined
      const { lastSeq, isFinished, isReply } = kept
      return { events: kept.events.filter(({ seq }) => seq > afterSeq), lastSeq, isFinished, isReply }
    },
    close() {
      clearInterval(sweeper)
      streams.clear()
    },
  }
}
