// Events of streams in a map, the stream unused for longest first.
import type { Events, StoredEvent, StreamKey } from '../events.ts'

/** Kept of one stream; past it the oldest go. */
export const MAX_EVENTS = 100
/** How long a stream can be returned to, ms: longer than any call may take. */
export const KEPT_MS = 15 * 60 * 1000

/** Of one stream, in characters: all of it is told again at once, and a reader may take its time. The newest stays. */
export const MAX_STREAM_SIZE = 8 * 1024 * 1024

const MAX_STREAMS = 10_000
/** Of all streams together, in characters. */
const MAX_SIZE = 64 * 1024 * 1024
const SWEEP_MS = 30_000

interface Kept {
  readonly session: string
  readonly events: StoredEvent[]
  size: number
  lastSeq: number
  isFinished: boolean
  readonly isReply: boolean
  usedAtMs: number
}

const EMPTY = Object.freeze({ size: 0, lastSeq: 0, isFinished: false, usedAtMs: 0 })

export interface EventBounds {
  readonly maxSize?: number
  readonly maxStreams?: number
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

export function memoryEvents({
  maxSize = MAX_SIZE,
  maxStreams = MAX_STREAMS,
  now = () => performance.now(),
}: EventBounds = {}): Events {
  const streams = new Map<string, Kept>()
  let size = 0
  let sweeper: NodeJS.Timeout | undefined

  function use({ session, stream, isReply = false }: StreamKey): Kept {
    const kept = streams.get(stream) ?? { ...EMPTY, session, isReply, events: [] }
    kept.usedAtMs = now()
    streams.delete(stream)
    streams.set(stream, kept)
    sweeper ??= setInterval(sweep, SWEEP_MS).unref()
    return kept
  }

  function drop(stream: string, kept: Kept): void {
    streams.delete(stream)
    size -= kept.size
  }

  function shorten(kept: Kept): void {
    const oldest = kept.events.shift()!
    kept.size -= oldest.json.length
    size -= oldest.json.length
  }

  function sweep(): void {
    const oldestMs = now() - KEPT_MS
    for (const [stream, kept] of streams) {
      if (kept.usedAtMs > oldestMs) break
      drop(stream, kept)
    }
    if (streams.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  // Of others first; the newest event of the newest stream always stays.
  function makeRoom(): void {
    for (const [stream, kept] of streams) {
      const isTooMuch = size > maxSize || streams.size > maxStreams
      if (!isTooMuch || streams.size === 1) break
      drop(stream, kept)
    }
  }

  return {
    begin(key) {
      use(key)
    },
    append(key, event) {
      const kept = use(key)
      kept.events.push(event)
      kept.lastSeq = event.seq
      kept.size += event.json.length
      size += event.json.length
      const mostSize = Math.min(MAX_STREAM_SIZE, maxSize)
      while (kept.events.length > MAX_EVENTS || (kept.size > mostSize && kept.events.length > 1)) shorten(kept)
      makeRoom()
    },
    finish(key) {
      use(key).isFinished = true
    },
    read({ session, stream }, afterSeq) {
      const kept = streams.get(stream)
      if (kept?.session !== session || kept.usedAtMs <= now() - KEPT_MS) return undefined
      const { lastSeq, isFinished, isReply } = kept
      return { events: kept.events.filter(({ seq }) => seq > afterSeq), lastSeq, isFinished, isReply }
    },
    close() {
      clearInterval(sweeper)
      streams.clear()
    },
  }
}
