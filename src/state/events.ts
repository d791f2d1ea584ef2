// The interface of the event store. It keeps the last events of each stream, so that a client can
// resume the stream. Streams are bounded in number, size and age.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import type { RequestId } from '../protocol/messages.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** Events kept of one stream; the oldest go first. */
export const MAX_EVENTS_PER_STREAM = 100
/** Size of a stream, characters: a resume replays it at once. The newest event always stays. */
export const MAX_STREAM_SIZE = 8 * 1024 * 1024
/** How long a client can resume a stream, ms: longer than any call may take. */
export const STREAM_TTL_MS = 15 * 60 * 1000
/** Size of all streams together; past it, the least recently used stream goes. */
export const MAX_EVENTS_SIZE = 64 * 1024 * 1024

/** How much the store keeps of all streams. */
export interface EventBounds {
  readonly maxSize?: number
}

/** An event of a stream, with its number. */
export interface StoredEvent {
  /** Counted from 1 within its stream. */
  readonly seq: number
  readonly json: string
}

/** The events of a stream after a given one. */
export interface Replay {
  readonly events: readonly StoredEvent[]
  readonly lastSeq: number
  /** No further event follows. */
  readonly isFinished: boolean
  /** The stream ends with the response to a request, whichever replica serves the request. */
  readonly isReply: boolean
  /** The requests without a response, because the replica that served them is gone. */
  readonly lost?: readonly RequestId[]
}

/** Names a stream, and the only session that may read it. */
export interface StreamKey {
  readonly session: string
  readonly stream: string
  /** True if the stream belongs to a request; otherwise it carries notifications. */
  readonly isReply?: boolean
}

/** Keeps the last events of streams, so that they can be resumed. */
export interface EventStore extends Store {
  /**
   * Creates the stream before its first event.
   *
   * @param requests the requests that the stream is to answer
   */
  begin(key: StreamKey, requests?: readonly RequestId[]): MaybePromise<void>
  append(key: StreamKey, event: StoredEvent): MaybePromise<void>
  /** Marks the stream as complete: no further event follows. */
  finish(key: StreamKey): MaybePromise<void>
  /** Reads the kept events after `afterSeq`; undefined if the session has no such stream. */
  read(key: StreamKey, afterSeq: number): MaybePromise<Replay | undefined>
}
