// The last events of streams, for clients that come back to one: by stream, bounded in number, size and age.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import type { Eventually } from '../chain.ts'
import type { RequestId } from '../protocol/messages.ts'

export interface StoredEvent {
  /** Counted from 1 within its stream. */
  readonly seq: number
  readonly json: string
}

export interface Replay {
  readonly events: readonly StoredEvent[]
  readonly lastSeq: number
  /** Nothing will follow. */
  readonly isFinished: boolean
  /** It ends with the answer to a request, whichever replica serves that. */
  readonly isReply: boolean
  /** The requests that it was to answer, where the replica that served them is gone. */
  readonly lost?: readonly RequestId[]
}

/** Names a stream, and the session that alone may read it. */
export interface StreamKey {
  readonly session: string
  readonly stream: string
  /** Of a request; else of news. */
  readonly isReply?: boolean
}

export interface Events {
  /** There is such a stream, though nothing was said on it yet. @param requests those that it is to answer */
  begin(key: StreamKey, requests?: readonly RequestId[]): Eventually<void>
  append(key: StreamKey, event: StoredEvent): Eventually<void>
  /** Nothing will follow. */
  finish(key: StreamKey): Eventually<void>
  /** What is kept of it behind `afterSeq`; undefined where the session has no such stream. */
  read(key: StreamKey, afterSeq: number): Eventually<Replay | undefined>
  close(): Eventually<void>
}
