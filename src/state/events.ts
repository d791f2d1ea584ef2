// The interface of the event store, which keeps the last events of each stream, so that a client
// can resume one. Streams are bounded in number, size and age.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import type { RequestId } from '../protocol/messages.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'

export interface StoredEvent {
  /** Counted from 1 within its stream. */
  readonly seq: number
  readonly json: string
}

export interface Replay {
  readonly events: readonly StoredEvent[]
  readonly lastSeq: number
  /** No further event follows. */
  readonly isFinished: boolean
  /** The stream ends with the response to a request, whichever replica serves the request. */
  readonly isReply: boolean
  /** The requests left without a response, because the replica that served them is gone. */
  readonly lost?: readonly RequestId[]
}

/** Names a stream, and the only session that may read it. */
export interface StreamKey {
  readonly session: string
  readonly stream: string
  /** True if the stream belongs to a request; otherwise it carries notifications. */
  readonly isReply?: boolean
}

export interface EventStore {
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
  close(): MaybePromise<void>
}
